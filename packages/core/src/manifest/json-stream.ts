import { diagnostic } from "../diagnostics/diagnostic.js";
import type { ByteWindow } from "./byte-window.js";
import type { Json, JsonObject } from "./document.js";
import { closingBracket, quote } from "./json-scanner.js";
import { JsonValues, NotJson } from "./json-values.js";
import { type Beginning, Lines } from "./lines.js";
import { objectsInValue } from "./list.js";
import { listHead } from "./list-head.js";
import type { Receiver } from "./object.js";
import { kindIn, StreamedList } from "./streamed-list.js";
import type { SurveyedText } from "./surveyed-text.js";

/*
 * A snapshot of a large cluster is one list, longer than the longest text JavaScript can hold. Its items are cut out one
 * by one and parsed by the JavaScript engine; what has been read is dropped:
 *
 *     {"apiVersion": "v1", "items": [ {…}, {…}, {…
 *                          done and dropped │ window │ not yet read
 */

/** Reads one JSON document after the other. What stands before a mistake has been received by then. */
export function readJsonStream(
  window: ByteWindow,
  file: string,
  receiver: Receiver,
  surveyed?: SurveyedText,
): void {
  new JsonStream(window, file, receiver, surveyed).read();
}

class JsonStream {
  private readonly values: JsonValues;

  constructor(
    window: ByteWindow,
    private readonly file: string,
    private readonly receiver: Receiver,
    surveyed: SurveyedText | undefined,
  ) {
    this.values = new JsonValues(window, file, receiver.excerpt, surveyed);
  }

  read(): void {
    const { values } = this;
    try {
      while (values.skipSpace() !== undefined) this.document();
    } catch (cause) {
      if (!(cause instanceof NotJson)) throw cause;
      const place = new Lines(this.file, values.ahead(), values.position()).place(cause.at, 0);
      this.receiver.report(diagnostic("TW1001", `this is not valid JSON: ${cause.message}`, { place }));
    }
  }

  private document(): void {
    const fitting = this.values.nextInWindow();
    const ahead = fitting === undefined ? this.itemsAhead() : undefined;
    if (ahead !== undefined) return this.list(ahead);
    const { value, document, line } = fitting ?? this.values.next();
    objectsInValue(value, document, this.receiver, line);
  }

  /** The fields before `items` of a list that does not fit into the window; reading goes on at its first item. */
  private itemsAhead(): ItemsAhead | undefined {
    const { values } = this;
    const beginning = values.position();
    return values.inWindow((start, scanner) => {
      const found = listHead(scanner, start);
      return found && { found: { head: found.head, beginning }, end: found.end };
    });
  }

  private list({ head, beginning }: ItemsAhead): void {
    const { values } = this;
    const list = new StreamedList(head, this.receiver);
    const kind = kindIn(head)?.list;
    if (values.skipSpace() === closingBracket) values.expect("]");
    else
      do {
        values.skipSpace();
        list.add(values.next({ list: kind, kept: list.isWaiting }));
      } while (values.expect(",]") === ",");
    const fields: Record<string, Json> = { ...head };
    while (values.expect(",}") === ",") {
      if (values.skipSpace() !== quote) throw new NotJson("a field was expected here");
      const key = values.next().value as string;
      if (key === "items") throw new NotJson("this list has `items` twice");
      values.expect(":");
      values.skipSpace();
      fields[key] = values.next().value;
    }
    list.end(fields, { file: this.file, ...beginning, length: 1 });
  }
}

interface ItemsAhead {
  readonly head: JsonObject;
  readonly beginning: Beginning;
}
