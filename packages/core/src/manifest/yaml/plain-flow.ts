import type { Json } from "../document.js";
import { notPlain, plainScalar, quotedScalar } from "./plain-scalar.js";

/*
 * Braces and brackets as people write them: on one line, each key with a value, words and texts in quotes. Whatever else the
 * standard allows there (lines, comments, keys alone, pairs in lists) is left to the library.
 */

const newline = 0x0a;
const space = 0x20;
const doubleQuote = 0x22;
const singleQuote = 0x27;
const comma = 0x2c;
const dash = 0x2d;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const codes = (characters: string) => new Set(Array.from(characters, (c) => c.charCodeAt(0)));

const opensNothingPlain = codes("!%&*,:>?@[]`{|}");
/** What has a meaning of its own between braces, or is a mistake there. */
const neverWithin = codes("\t\n#[]{}");
const behindWords = codes(",]}");

const deepest = 20;
const longestKey = 1000;

export const opensFlow = (c: number): boolean => c === openBrace || c === openBracket;

/** The mapping or list that opens here, and where it ends. */
export function flowCollection(text: string, at: number): { readonly value: Json; readonly end: number } {
  const reader = new FlowReader(text, at);
  const value = reader.collection();
  return { value, end: reader.at };
}

class FlowReader {
  private depth = 0;

  constructor(
    private readonly text: string,
    public at: number,
  ) {}

  collection(): Json {
    if (++this.depth > deepest) notPlain();
    const value = this.text.charCodeAt(this.at) === openBrace ? this.mapping() : this.list();
    this.depth--;
    return value;
  }

  private mapping(): Json {
    const fields: Record<string, Json> = {};
    this.at++;
    if (this.isClosed(closeBrace)) return fields;
    do {
      const key = this.scalar();
      if (typeof key !== "string" || key.length > longestKey) return notPlain();
      if (key === "__proto__" || Object.hasOwn(fields, key)) notPlain();
      if (this.text.charCodeAt(this.at) !== colon || this.text.charCodeAt(this.at + 1) !== space) notPlain();
      this.at++;
      fields[key] = this.value();
    } while (!this.isLast(closeBrace));
    return fields;
  }

  private list(): Json {
    const items: Json[] = [];
    this.at++;
    if (this.isClosed(closeBracket)) return items;
    do items.push(this.value());
    while (!this.isLast(closeBracket));
    return items;
  }

  private value(): Json {
    return opensFlow(this.next()) ? this.collection() : this.scalar();
  }

  private scalar(): Json {
    const first = this.next();
    if (first !== doubleQuote && first !== singleQuote) return this.word(first);
    const { value, end } = quotedScalar(this.text, this.at, first, -1);
    if (this.text.slice(this.at, end).includes("\n")) notPlain();
    this.at = end;
    return value;
  }

  /** Ends before `: `, or what separates and closes. */
  private word(first: number): Json {
    const { text, at } = this;
    const second = text.charCodeAt(at + 1);
    if (opensNothingPlain.has(first) || (first === dash && (second === space || behindWords.has(second))))
      return notPlain();
    let end = at;
    for (; ; end++) {
      const c = text.charCodeAt(end);
      if (behindWords.has(c) || (c === colon && text.charCodeAt(end + 1) === space)) break;
      if (neverWithin.has(c) || (c === colon && endsWord(text.charCodeAt(end + 1)))) notPlain();
    }
    this.at = end;
    return plainScalar(text.slice(at, end).trimEnd());
  }

  /** Skips spaces. */
  private next(): number {
    let c = this.text.charCodeAt(this.at);
    while (c === space) c = this.text.charCodeAt(++this.at);
    return c;
  }

  private isClosed(close: number): boolean {
    const closes = this.next() === close;
    if (closes) this.at++;
    return closes;
  }

  /** After a value: whether it was the last one. */
  private isLast(close: number): boolean {
    if (this.isClosed(close)) return true;
    if (this.text.charCodeAt(this.at) !== comma) notPlain();
    this.at++;
    return false;
  }
}

const endsWord = (c: number): boolean => c === newline || behindWords.has(c);
