import type { Json } from "../document.js";
import { flowCollection, opensFlow } from "./plain-flow.js";
import { blockScalar, NotPlain, notPlain, plainScalar, quotedScalar } from "./plain-scalar.js";

/*
 * A quick reader for the YAML that kubectl, helm and people write: mappings and lists by indentation, or in braces on one
 * line, words, quoted texts and block texts, comments. It reads many times faster than the library, and keeps no places. At the
 * first thing that it is not sure of (anchors, tags, braces over several lines, tabs, anything that may be a mistake) it declines
 * the whole document, which is then read by the library. So it never has to explain an error, and what it does read is what
 * the library would have read: `plain-yaml.test.ts` compares the two.
 */

/** Gets the places of what is read, in the order of the text. */
export interface SpanReceiver {
  /** A field or an item begins: where its key is, or its dash. */
  readonly enter: (step: string | number, start: number, end: number) => void;
  readonly leave: () => void;
  /** The value of the field or item is a mapping or a list of several lines. */
  readonly block: (start: number, end: number) => void;
}

/** The value of a text with one document; undefined if it is not plain, or empty. */
export function readPlainYaml(text: string, spans?: SpanReceiver): Json | undefined {
  if (text.includes("\r") || text.includes("\uFEFF")) return undefined;
  // Every loop below ends at a line break at the latest.
  const reader = new PlainReader(text.endsWith("\n") ? text : `${text}\n`, spans);
  try {
    return reader.document();
  } catch (cause) {
    if (cause instanceof NotPlain) return undefined;
    throw cause;
  }
}

const tab = 0x09;
const newline = 0x0a;
const space = 0x20;
const doubleQuote = 0x22;
const hash = 0x23;
const singleQuote = 0x27;
const dash = 0x2d;
const dot = 0x2e;
const colon = 0x3a;

/** Characters that begin something other than plain text. */
const opensNothingPlain = new Set(Array.from("!#%&*,:>?@[]`{|}", (c) => c.charCodeAt(0)));

const deepest = 100;
const longestKey = 1000;

class PlainReader {
  /** The next character to read. */
  private at = 0;
  /** The column of `at`; -1 at the end. Everything that reads a value moves on to the next line. */
  private indent = -1;
  private depth = 0;
  /** How often reading moved on to the next line. */
  private line = 0;

  constructor(
    private readonly text: string,
    private readonly spans: SpanReceiver | undefined,
  ) {}

  document(): Json {
    this.nextLine();
    if (this.indent < 0) return notPlain();
    const value = this.node(-1);
    return this.indent < 0 ? value : notPlain();
  }

  /** The value here, inside of something at column `outer`. */
  private node(outer: number): Json {
    if (++this.depth > deepest) notPlain();
    const value = this.isItem() ? this.list(this.indent) : (this.mapping(this.indent) ?? this.scalar(outer));
    this.depth--;
    return value;
  }

  private list(column: number): Json {
    const { at: start, line } = this;
    const items: Json[] = [];
    while (this.indent === column && this.isItem()) {
      const dashAt = this.at++;
      this.spans?.enter(items.length, dashAt, this.at);
      if (this.isLineDone()) {
        this.nextLine();
        items.push(this.indent > column ? this.node(column) : null);
      } else {
        this.indent = column + this.at - dashAt;
        items.push(this.node(column));
      }
      this.spans?.leave();
    }
    if (this.indent > column) notPlain();
    this.endBlock(start, line);
    return items;
  }

  /** Undefined if there is no key here. */
  private mapping(column: number): Json | undefined {
    const { at: start, line } = this;
    let key = this.key();
    if (key === undefined) return undefined;
    const fields: Record<string, Json> = {};
    for (let keyStart = start; ; ) {
      if (key === "__proto__" || Object.hasOwn(fields, key)) notPlain();
      this.spans?.enter(key, keyStart, this.at - 1);
      fields[key] = this.field(column);
      this.spans?.leave();
      if (this.indent < column) break;
      keyStart = this.at;
      const next: string | undefined = this.indent > column || this.isItem() ? undefined : this.key();
      if (next === undefined) return notPlain();
      key = next;
    }
    this.endBlock(start, line);
    return fields;
  }

  private endBlock(start: number, line: number): void {
    if (this.line > line + 1) this.spans?.block(start, this.at - Math.max(0, this.indent));
  }

  /** The value after a key at this column. */
  private field(column: number): Json {
    if (!this.isLineDone()) return this.scalar(column);
    this.nextLine();
    if (this.indent > column) return this.node(column);
    // Lists may be directly below their key.
    return this.indent === column && this.isItem() ? this.list(column) : null;
  }

  /** Reads `key:`; undefined, and nothing is read, if there is no key. */
  private key(): string | undefined {
    const { text, at } = this;
    const first = text.charCodeAt(at);
    if (first === doubleQuote || first === singleQuote) return this.quotedKey(first);
    if (opensNothingPlain.has(first)) return undefined;
    for (let i = at; ; i++) {
      const c = text.charCodeAt(i);
      if (c === newline || (c === hash && text.charCodeAt(i - 1) === space)) return undefined;
      if (c === tab) notPlain();
      if (c !== colon || !isBlank(text.charCodeAt(i + 1))) continue;
      const key = plainScalar(this.trimmed(at, i));
      if (typeof key !== "string" || key.length > longestKey) return notPlain();
      this.at = i + 1;
      return key;
    }
  }

  private quotedKey(quote: number): string | undefined {
    const { value, end } = quotedScalar(this.text, this.at, quote, -1);
    const isKey = this.text.charCodeAt(end) === colon && isBlank(this.text.charCodeAt(end + 1));
    if (!isKey) return undefined;
    if (value.length > longestKey || this.text.slice(this.at, end).includes("\n")) notPlain();
    this.at = end + 1;
    return value;
  }

  /** A single value; its further lines are to the right of `outer`. */
  private scalar(outer: number): Json {
    const { text, at } = this;
    const first = text.charCodeAt(at);
    if (first === doubleQuote || first === singleQuote) {
      const { value, end } = quotedScalar(text, at, first, outer);
      return this.done(end, value, outer);
    }
    if (opensFlow(first)) {
      const { value, end } = flowCollection(text, at);
      return this.done(end, value, outer);
    }
    if (first === 0x7c || first === 0x3e) {
      const { value, end } = blockScalar(text, at, outer);
      this.at = end;
      this.nextLine();
      return this.indent > outer ? notPlain() : value;
    }
    if (opensNothingPlain.has(first) || this.isItem()) return notPlain();
    return this.plain(outer);
  }

  private plain(outer: number): Json {
    const start = this.at;
    const end = this.plainEnd();
    const value = this.trimmed(start, end);
    if (this.text.charCodeAt(end) === hash) return this.done(end, plainScalar(value), outer);
    this.at = end + 1;
    this.nextLine();
    return this.indent > outer ? this.folded(value, end + 1, outer) : plainScalar(value);
  }

  /** A text that continues on the next lines, which are joined with spaces. */
  private folded(first: string, lineStart: number, outer: number): string {
    let value = first;
    while (this.indent > outer) {
      // Empty lines and comments in between mean more than a space.
      if (this.at - this.indent !== lineStart) notPlain();
      const end = this.plainEnd();
      if (this.text.charCodeAt(end) === hash) notPlain();
      value += ` ${this.trimmed(this.at, end)}`;
      lineStart = end + 1;
      this.at = lineStart;
      this.nextLine();
    }
    return value;
  }

  /** Where a text without quotes ends on this line: at its break, or at a comment. */
  private plainEnd(): number {
    const { text } = this;
    for (let i = this.at; ; i++) {
      const c = text.charCodeAt(i);
      if (c === newline || (c === hash && text.charCodeAt(i - 1) === space)) return i;
      if (c === tab || (c === colon && isBlank(text.charCodeAt(i + 1)))) notPlain();
    }
  }

  /** After a value that ends here there is only a comment, and nothing belongs to it below. */
  private done(end: number, value: Json, outer: number): Json {
    this.at = end;
    if (!this.isLineDone()) notPlain();
    this.nextLine();
    return this.indent > outer ? notPlain() : value;
  }

  /** Skips spaces and, if only a comment is left, moves to the next line. */
  private isLineDone(): boolean {
    const { text } = this;
    let c = text.charCodeAt(this.at);
    while (c === space) c = text.charCodeAt(++this.at);
    if (c === hash && text.charCodeAt(this.at - 1) === space) this.at = text.indexOf("\n", this.at);
    else if (c !== newline) return false;
    this.at++;
    return true;
  }

  /** From the beginning of a line to the first that holds something. */
  private nextLine(): void {
    const { text } = this;
    let at = this.at;
    this.line++;
    for (;;) {
      const start = at;
      let c = text.charCodeAt(at);
      while (c === space) c = text.charCodeAt(++at);
      if (c === newline) at++;
      else if (c === hash) at = text.indexOf("\n", at) + 1;
      else {
        this.at = at;
        this.indent = at < text.length ? at - start : -1;
        if (c < space || (at === start && isMarker(text, at))) notPlain();
        return;
      }
    }
  }

  private isItem(): boolean {
    return this.text.charCodeAt(this.at) === dash && isBlank(this.text.charCodeAt(this.at + 1));
  }

  private trimmed(start: number, end: number): string {
    while (end > start && this.text.charCodeAt(end - 1) === space) end--;
    return this.text.slice(start, end);
  }
}

const isBlank = (c: number): boolean => c === space || c === newline || c === tab;

/** `---` or `...` at the beginning of a line. */
function isMarker(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  return (c === dash || c === dot) && text.charCodeAt(at + 1) === c && text.charCodeAt(at + 2) === c;
}
