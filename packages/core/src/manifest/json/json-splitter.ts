import type { ByteWindow } from "./byte-window.js";
import type { Json, JsonObject } from "../document.js";
import { firstMistake, isCutOff } from "./json-mistake.js";
import { ValuePlaces } from "./json.js";
import type { Beginning } from "../lines.js";
import { type ListItem, mayBeList } from "../streamed-list.js";
import { decodeUtf8 } from "../utf8.js";

/** `at` is counted from the current position. */
export class NotJson extends Error {
  constructor(
    message: string,
    readonly at = 0,
  ) {
    super(message);
  }
}

/**
 * Splits a JSON text into values, from front to back. The end of a value is found by counting brackets outside of strings;
 * whether it is JSON, `JSON.parse` decides.
 */
export class JsonSplitter {
  /** Everything before it has been read. */
  private cursor: Cursor = { at: 0, line: 1, lineStart: 0 };

  constructor(
    private readonly window: ByteWindow,
    private readonly file: string,
  ) {}

  position(): Beginning {
    const { at, line, lineStart } = this.cursor;
    return { line, column: at - lineStart + 1 };
  }

  /** What is in the window and has not been read. */
  ahead(): string {
    return this.text(this.cursor.at, this.window.length);
  }

  /** The value that begins here; the window grows until it is complete. */
  next(): ListItem {
    for (;;) {
      const found = this.nextInWindow();
      if (found !== undefined) return found;
      if (!this.more()) return this.last();
    }
  }

  /** The same; undefined, and nothing is read, where the window ends before the value does. */
  nextInWindow(): ListItem | undefined {
    const end = this.valueEnd(this.cursor);
    if (end === undefined) {
      this.expectNoMistake();
      return undefined;
    }
    const text = this.text(this.cursor.at, end.at);
    const item = this.item(text) ?? this.mistakeIn(text);
    this.cursor = end;
    return item;
  }

  /**
   * The fields before the `items` of a list; reading continues after the bracket that opens them. Undefined, and nothing is
   * read, if this is not a list or the window ends too soon. Only for a value that `nextInWindow` found to be longer.
   */
  listHead(): JsonObject | undefined {
    const head: Record<string, Json> = {};
    for (let key = this.behind(openingBrace, this.cursor); key !== undefined; ) {
      const keyEnd = this.valueEnd(key);
      const value = keyEnd && this.behind(colon, keyEnd);
      if (value === undefined) return undefined;
      const name = JSON.parse(this.text(key.at, keyEnd!.at)) as string;
      if (name === "items") {
        const items = this.behind(openingBracket, value);
        if (items === undefined || !mayBeList(head)) return undefined;
        this.cursor = items;
        return head;
      }
      const end = this.valueEnd(value);
      if (end === undefined) return undefined;
      head[name] = JSON.parse(this.text(value.at, end.at)) as Json;
      key = this.behind(comma, end);
    }
    return undefined;
  }

  /** The next character that is not space, which must be one of these. */
  expect(allowed: string): string {
    const found = this.skipSpace() ?? "";
    if (found === "" || !allowed.includes(found))
      throw new NotJson(`expected ${Array.from(allowed, (character) => `\`${character}\``).join(" or ")}`);
    this.cursor = { ...this.cursor, at: this.cursor.at + 1 };
    return found;
  }

  /** The next character that is not space; undefined at the end. */
  skipSpace(): string | undefined {
    for (;;) {
      this.cursor = this.spaceEnd(this.cursor);
      const { at } = this.cursor;
      if (at < this.window.length) return String.fromCharCode(this.window.bytes[at]!);
      if (!this.more()) return undefined;
    }
  }

  /** Where the value that begins here ends; undefined where the window ends first. */
  private valueEnd({ at: start, line, lineStart }: Cursor): Cursor | undefined {
    const { bytes, length } = this.window;
    if (isSingle(bytes[start]!)) {
      for (let at = start + 1; at < length; at++)
        if (isInSingle[bytes[at]!] === 0) return { at, line, lineStart };
      return undefined;
    }
    let depth = 0;
    let inString = false;
    for (let at = start; at < length; at++) {
      const byte = bytes[at]!;
      if (isOrdinary[byte] === 1) continue;
      if (byte === quote) inString = !inString;
      else if (byte === backslash) at++;
      else if (byte === newline) {
        line++;
        lineStart = at + 1;
      } else if (byte >= 0x80) lineStart += extraColumns(byte);
      else if (!inString) depth += byte === openingBrace || byte === openingBracket ? 1 : -1;
      if (depth === 0 && !inString) return { at: at + 1, line, lineStart };
    }
    return undefined;
  }

  private spaceEnd({ at, line, lineStart }: Cursor): Cursor {
    const { bytes, length } = this.window;
    for (; at < length && isSpace(bytes[at]!); at++)
      if (bytes[at] === newline) {
        line++;
        lineStart = at + 1;
      }
    return { at, line, lineStart };
  }

  /** After this character and the space around it; undefined if there is another character. */
  private behind(character: number, cursor: Cursor): Cursor | undefined {
    const { at, ...lines } = this.spaceEnd(cursor);
    if (at >= this.window.length || this.window.bytes[at] !== character) return undefined;
    return this.spaceEnd({ at: at + 1, ...lines });
  }

  private item(text: string): ListItem | undefined {
    const beginning = this.position();
    try {
      const value = JSON.parse(text) as Json;
      return { value, document: new ValuePlaces(this.file, text, beginning), line: beginning.line };
    } catch {
      return undefined;
    }
  }

  private mistakeIn(text: string): never {
    const { at, expected } = firstMistake(text);
    throw new NotJson(`expected ${expected}`, at);
  }

  /** Without this, a missing bracket would be noticed only at the end of the file, with all of it in memory. */
  private expectNoMistake(): void {
    const text = this.ahead();
    if (!isCutOff(text)) this.mistakeIn(text);
  }

  /** A number may end with the text. */
  private last(): ListItem {
    const item = this.item(this.ahead());
    if (item === undefined) throw new NotJson("the text ends before the end of this value");
    this.cursor = { ...this.cursor, at: this.window.length };
    return item;
  }

  private text(from: number, to: number): string {
    return decodeUtf8(this.window.bytes.subarray(from, to));
  }

  private more(): boolean {
    const { at, line, lineStart } = this.cursor;
    if (!this.window.more(at)) return false;
    this.cursor = { at: 0, line, lineStart: lineStart - at };
    return true;
  }
}

interface Cursor {
  /** In the window. */
  readonly at: number;
  readonly line: number;
  /** The start of the line, moved so that the distance to it is the column, although characters may have several bytes. */
  readonly lineStart: number;
}

const code = (character: string): number => character.charCodeAt(0);
const table = (has: (byte: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (has(byte) ? 1 : 0));

const [quote, backslash, newline, comma, colon] = [code('"'), code("\\"), code("\n"), code(","), code(":")];
const [openingBrace, openingBracket] = [code("{"), code("[")];

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;
/** Whether this begins a number or a word. */
const isSingle = (byte: number): boolean =>
  byte !== quote && byte !== openingBrace && byte !== openingBracket;
const isInSingle = table((byte) => /[-+.\w]/.test(String.fromCharCode(byte)));
/** Bytes that change neither the nesting nor the place. */
const isOrdinary = table((byte) => byte < 0x80 && !'"\\\n{}[]'.includes(String.fromCharCode(byte)));

/** Of the bytes of a character one counts as a column, and two of those that are two units of UTF-16. */
function extraColumns(byte: number): number {
  if (byte < 0xc0) return 1;
  return byte >= 0xf0 ? -1 : 0;
}
