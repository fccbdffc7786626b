import { diagnostic } from "../diagnostics/diagnostic.js";
import type { Document, Json, JsonObject } from "./document.js";
import { firstMistake } from "./json-mistake.js";
import { placesInValue, skipSpace, stringEnd, valueEnd } from "./json.js";
import { type Beginning, Lines } from "./lines.js";
import { objectsInValue } from "./list.js";
import type { Receiver } from "./object.js";
import { mayBeList, StreamedList } from "./streamed-list.js";
import type { TextWindow } from "./window.js";

/*
 * A snapshot of a large cluster is one list, longer than the longest text JavaScript can hold. Its items are cut out one
 * by one and parsed by the JavaScript engine; what has been read is dropped:
 *
 *     {"apiVersion": "v1", "items": [ {…}, {…}, {…
 *                          done and dropped │ window │ not yet read
 */

/** Reads one JSON document after the other. What stands before a mistake has been received by then. */
export function readJsonStream(window: TextWindow, file: string, receiver: Receiver): void {
  new JsonStream(window, file, receiver).read();
}

class JsonStream {
  /** In the window. */
  private at = 0;

  constructor(
    private readonly window: TextWindow,
    private readonly file: string,
    private readonly receiver: Receiver,
  ) {}

  read(): void {
    try {
      while (this.skipSpace() !== undefined) this.document();
    } catch (cause) {
      if (!(cause instanceof NotJson)) throw cause;
      const place = new Lines(this.file, this.window.text.slice(this.at), this.position()).place(cause.at, 0);
      this.receiver.report(diagnostic("TW1001", `this is not valid JSON: ${cause.message}`, { place }));
    }
  }

  private document(): void {
    const fitting = parseAt(this.window.text, this.at);
    const ahead = fitting === undefined ? this.itemsAhead() : undefined;
    if (ahead !== undefined) return this.list(ahead);
    const { value, document, beginning } = fitting === undefined ? this.value() : this.taken(fitting);
    objectsInValue(value, document, this.receiver, beginning.line);
  }

  /** The fields before `items` of a list that does not fit into the window, and where its first item is. */
  private itemsAhead(): ItemsAhead | undefined {
    const { text } = this.window;
    if (text[this.at] !== "{") return undefined;
    const head: Record<string, Json> = {};
    let at = skipSpace(text, this.at + 1);
    while (text[at] === '"') {
      const keyEnd = stringEnd(text, at);
      const start = keyEnd === undefined ? undefined : afterColon(text, keyEnd);
      if (start === undefined) return undefined;
      const key = text.slice(at, keyEnd);
      if (key === '"items"')
        return text[start] === "[" && mayBeList(head) ? { head, first: start + 1 } : undefined;
      const value = parseAt(text, start);
      if (value === undefined) return undefined;
      head[JSON.parse(key) as string] = value.value;
      at = skipSpace(text, value.end);
      if (text[at] === ",") at = skipSpace(text, at + 1);
    }
    return undefined;
  }

  private list({ head, first }: ItemsAhead): void {
    const place = { file: this.file, ...this.position(), length: 1 };
    this.at = first;
    const list = new StreamedList(head, this.receiver);
    if (this.skipSpace() === "]") this.at++;
    else
      do {
        this.skipSpace();
        const { value, document, beginning } = this.value();
        list.add({ value, document, line: beginning.line });
      } while (this.expect(",]") === ",");
    const fields: Record<string, Json> = { ...head };
    while (this.expect(",}") === ",") {
      if (this.skipSpace() !== '"') throw new NotJson("a field was expected here");
      const key = this.value().value as string;
      if (key === "items") throw new NotJson("this list has `items` twice");
      this.expect(":");
      this.skipSpace();
      fields[key] = this.value().value;
    }
    list.end(fields, place);
  }

  /** The value that begins here; the window grows until it is whole. */
  private value(): Value {
    for (;;) {
      const found = parseAt(this.window.text, this.at);
      if (found !== undefined) return this.taken(found);
      if (this.more()) continue;
      // A number may end with the text.
      const last = parseAt(`${this.window.text.slice(this.at)}\n`, 0);
      if (last === undefined) throw new NotJson("the text ends before this value does");
      return this.taken({ value: last.value, end: this.at + last.end });
    }
  }

  private taken({ value, end }: Parsed): Value {
    const beginning = this.position();
    const document = placesInValue(this.file, this.window.text.slice(this.at, end), beginning);
    this.at = end;
    return { value, document, beginning };
  }

  /** The next character that is not space, which must be one of these. */
  private expect(allowed: string): string {
    const found = this.skipSpace();
    if (found === undefined || !allowed.includes(found))
      throw new NotJson(
        `expected ${allowed
          .split("")
          .map((c) => `\`${c}\``)
          .join(" or ")}`,
      );
    this.at++;
    return found;
  }

  /** The next character that is not space; undefined at the end. */
  private skipSpace(): string | undefined {
    for (;;) {
      this.at = skipSpace(this.window.text, this.at);
      if (this.at < this.window.text.length) return this.window.text[this.at];
      if (!this.more()) return undefined;
    }
  }

  private more(): boolean {
    const from = this.at;
    this.at = 0;
    if (this.window.more(from)) return true;
    this.at = from;
    return false;
  }

  private position(): Beginning {
    return this.window.positionOf(this.at);
  }
}

interface Value {
  readonly value: Json;
  readonly document: Document;
  readonly beginning: Beginning;
}

/** A value, and where it ends in the text. */
interface Parsed {
  readonly value: Json;
  readonly end: number;
}

interface ItemsAhead {
  readonly head: JsonObject;
  readonly first: number;
}

/** `at` is counted from where reading stood. */
class NotJson extends Error {
  constructor(
    message: string,
    readonly at = 0,
  ) {
    super(message);
  }
}

function afterColon(text: string, at: number): number | undefined {
  const colon = skipSpace(text, at);
  return text[colon] === ":" ? skipSpace(text, colon + 1) : undefined;
}

/** The value that begins here; undefined where the text ends before it does. */
function parseAt(text: string, at: number): Parsed | undefined {
  const guess = endByIndentation(text, at);
  if (guess !== undefined) {
    try {
      // An object that is cut short is none: whatever can be parsed from here is the value.
      return { value: JSON.parse(text.slice(at, guess)) as Json, end: guess };
    } catch {
      // Indented in another way than it seemed.
    }
  }
  const end = valueEnd(text, at);
  if (end === undefined) return undefined;
  try {
    return { value: JSON.parse(text.slice(at, end)) as Json, end };
  } catch {
    const mistake = firstMistake(text.slice(at, end));
    throw new NotJson(`expected ${mistake.expected}`, mistake.at);
  }
}

/** Where a bracket closes that stands as far to the right as the line with `{` begins. No string holds a line break. */
function endByIndentation(text: string, at: number): number | undefined {
  if (text[at] !== "{") return undefined;
  let lineStart = at;
  while (text.charCodeAt(lineStart - 1) === space) lineStart--;
  if (lineStart > 0 && text[lineStart - 1] !== "\n") return undefined;
  const indent = at - lineStart;
  for (let line = text.indexOf("\n", at) + 1; line > 0; line = text.indexOf("\n", line) + 1) {
    const closes = text.charCodeAt(line + indent) === closingBrace;
    if (closes && (indent === 0 || text.charCodeAt(line + indent - 1) === space)) return line + indent + 1;
  }
  return undefined;
}

const space = 0x20;
const closingBrace = 0x7d;
