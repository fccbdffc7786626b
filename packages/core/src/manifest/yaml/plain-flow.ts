import type { Json } from "../document.js";
import { notPlain, plainScalar, quotedScalar } from "./plain-scalar.js";

/*
 * Braces and brackets as people write them: on one line, each key with a value, words and texts in quotes. Whatever else the
 * standard allows there (lines, comments, keys alone, pairs in lists) is left to the library.
 */

/** Ends before `: `, and before what separates and closes; what it may not contain is then met instead of these. */
const word = /(?![\s!"#%&'*,:>?@[\]`{|}]|-[ ,\]}])(?:[^\t\n#[\]{},:]|:(?![ \n,\]}]))+/y;

const deepest = 20;
const longestKey = 1000;

export const opensFlow = (c: number): boolean => c === 0x7b || c === 0x5b;

/** The mapping or list that opens here, and where it ends. */
export function flowCollection(text: string, at: number): { readonly value: Json; readonly end: number } {
  const reader = new FlowReader(text, at);
  const value = reader.value();
  return { value, end: reader.at };
}

class FlowReader {
  private depth = 0;

  constructor(
    private readonly text: string,
    public at: number,
  ) {}

  value(): Json {
    if (++this.depth > deepest) notPlain();
    const value = this.takes("{") ? this.mapping() : this.takes("[") ? this.list() : this.scalar();
    this.depth--;
    return value;
  }

  private mapping(): Json {
    const fields: Record<string, Json> = {};
    for (const key of this.entries("}", () => this.scalar())) {
      if (typeof key !== "string" || key.length > longestKey) return notPlain();
      if (key === "__proto__" || Object.hasOwn(fields, key) || !this.text.startsWith(": ", this.at))
        notPlain();
      this.at++;
      fields[key] = this.value();
    }
    return fields;
  }

  private list(): Json {
    return [...this.entries("]", () => this.value())];
  }

  /** The beginnings of all entries; the caller reads the rest of each. */
  private *entries(close: string, read: () => Json): Iterable<Json> {
    if (this.takes(close)) return;
    do yield read();
    while (this.takes(","));
    if (!this.takes(close)) notPlain();
  }

  private scalar(): Json {
    this.skipSpaces();
    const { text, at } = this;
    const quote = text.charCodeAt(at);
    if (quote === 0x22 || quote === 0x27) {
      const { value, end } = quotedScalar(text, at, quote, -1);
      if (text.slice(at, end).includes("\n")) notPlain();
      this.at = end;
      return value;
    }
    word.lastIndex = at;
    if (!word.test(text)) return notPlain();
    this.at = word.lastIndex;
    return plainScalar(text.slice(at, this.at).trimEnd());
  }

  private skipSpaces(): void {
    while (this.text[this.at] === " ") this.at++;
  }

  /** Whether this character is next, which is then skipped. */
  private takes(character: string): boolean {
    this.skipSpaces();
    const isNext = this.text[this.at] === character;
    if (isNext) this.at++;
    return isNext;
  }
}
