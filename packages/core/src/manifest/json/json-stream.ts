import { diagnostic } from "../../diagnostics/diagnostic.js";
import type { Json, JsonObject } from "../document.js";
import { JsonSplitter, NotJson } from "./json-splitter.js";
import { type Beginning, Lines } from "../lines.js";
import { objectsInValue } from "../list.js";
import type { Receiver } from "../object.js";
import { StreamedList } from "../streamed-list.js";
import type { TextWindow } from "../text-window.js";

/*
 * A snapshot of a large cluster is one list, longer than the longest text JavaScript can hold. Its items are split off one
 * by one and parsed by the JavaScript engine; what has been read is dropped:
 *
 *     {"apiVersion": "v1", "items": [ {…}, {…}, {…
 *                          done and dropped │ window │ not yet read
 */

/** Reads one JSON document after the other. Everything before a mistake has been delivered by then. */
export function readJsonStream(window: TextWindow, file: string, receiver: Receiver): void {
  const values = new JsonSplitter(window, file);
  try {
    while (values.skipSpace() !== undefined) readDocument(values, file, receiver);
  } catch (cause) {
    if (!(cause instanceof NotJson)) throw cause;
    const place = new Lines(file, values.ahead(), values.position()).place(cause.at, 0);
    receiver.report(diagnostic("TW1001", `this is not valid JSON: ${cause.message}`, { place }));
  }
}

function readDocument(values: JsonSplitter, file: string, receiver: Receiver): void {
  const beginning = values.position();
  const short = values.nextInWindow();
  const head = short === undefined ? values.listHead() : undefined;
  if (head !== undefined) return readList(values, head, { file, ...beginning }, receiver);
  const { value, document, line } = short ?? values.next();
  objectsInValue(value, document, receiver, line);
}

/** The items of a list, and the fields after them. */
function readList(
  values: JsonSplitter,
  head: JsonObject,
  begins: Beginning & { readonly file: string },
  receiver: Receiver,
): void {
  const list = new StreamedList(head, receiver);
  if (values.skipSpace() === "]") values.expect("]");
  else
    do {
      values.skipSpace();
      list.add(values.next());
    } while (values.expect(",]") === ",");
  const fields: Record<string, Json> = { ...head };
  while (values.expect(",}") === ",") {
    if (values.skipSpace() !== '"') throw new NotJson("a field was expected here");
    const key = values.next().value as string;
    if (key === "items") throw new NotJson("this list has a duplicate field `items`");
    values.expect(":");
    values.skipSpace();
    fields[key] = values.next().value;
  }
  list.end(fields, { ...begins, length: 1 });
}
