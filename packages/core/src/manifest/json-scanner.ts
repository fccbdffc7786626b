import type { ByteWindow } from "./byte-window.js";
import type { Beginning } from "./lines.js";

/** Thrown where a value is not JSON; what is wrong with it, others can tell better. */
export class Broken extends Error {}
/** Thrown where the window ends before a value does. */
export class Unfinished extends Error {}

/**
 * Walks over the bytes of JSON and knows the line they are on. It is exact: what it passes over, `JSON.parse` would read,
 * and the other way round. Most of what is in a snapshot is only ever passed over.
 */
export class JsonScanner {
  bytes: Uint8Array;
  /** How many of the bytes are of the text. */
  length: number;
  /** The same bytes, to look at four of them at once. */
  view: DataView;
  private line = 1;
  /** A column is as far from this as it would be from the beginning of its line if all characters were single bytes. */
  private lineStart = 0;
  /** The closing brackets of what is open. Nesting is written down, not recursed into. */
  private readonly open: number[] = [];

  constructor(private readonly window: ByteWindow) {
    this.bytes = window.bytes;
    this.length = window.length;
    this.view = viewOf(window.bytes);
  }

  /** See `ByteWindow.more`. */
  more(from: number): boolean {
    if (!this.window.more(from)) return false;
    this.bytes = this.window.bytes;
    this.length = this.window.length;
    this.view = viewOf(this.bytes);
    this.lineStart -= from;
    return true;
  }

  /** Where the byte stands up to which this has walked. */
  position(at: number): Beginning {
    return { line: this.line, column: at - this.lineStart + 1 };
  }

  /** Walks on from a byte where it has been before. */
  returnTo(at: number, { line, column }: Beginning): void {
    this.line = line;
    this.lineStart = at - column + 1;
  }

  /** Over white space. */
  space(at: number): number {
    const { bytes, view } = this;
    for (;;) {
      const byte = bytes[at]!;
      if (byte > space) return at;
      if (byte === newline) {
        this.line++;
        this.lineStart = ++at;
        // Half of an indented text is indentation.
        while (view.getInt32(at) === fourSpaces) at += 4;
      } else if (byte === space || byte === tab || byte === carriageReturn) at++;
      else return at;
    }
  }

  /** Over `"key":` to its value. */
  key(at: number): number {
    return this.colon(this.space(this.string(at)));
  }

  /** Over a whole value, whatever is in it. */
  value(at: number): number {
    const { bytes, open } = this;
    let depth = 0;
    for (;;) {
      const byte = bytes[at];
      if (byte === openingBrace || byte === openingBracket) {
        const closing = byte + 2;
        at = this.space(at + 1);
        if (bytes[at] !== closing) {
          open[depth++] = closing;
          if (closing === closingBrace) at = this.key(at);
          continue;
        }
        at++;
      } else at = this.single(at);
      for (; depth > 0; depth--, at++) {
        at = this.space(at);
        if (bytes[at] !== open[depth - 1]) break;
      }
      if (depth === 0) return at;
      at = this.comma(at);
      if (open[depth - 1] === closingBrace) at = this.key(at);
    }
  }

  /** Over a comma to what follows it. */
  comma(at: number): number {
    if (this.bytes[at] !== comma) this.stop(at);
    return this.space(at + 1);
  }

  /** Over a colon to what follows it. */
  colon(at: number): number {
    if (this.bytes[at] !== colon) this.stop(at);
    return this.space(at + 1);
  }

  /** Over a string. */
  string(at: number): number {
    const { bytes, view } = this;
    if (bytes[at] !== quote) this.stop(at);
    for (at++; ; ) {
      while (areFourPlain(view.getInt32(at))) at += 4;
      let byte = bytes[at]!;
      while (isPlain[byte] === 1) byte = bytes[++at]!;
      if (byte === quote) return at + 1;
      if (byte === backslash) at = this.escape(at);
      else if (byte < space) this.stop(at);
      else {
        // Of each character in several bytes one counts as a column, and two of those that are two units of UTF-16.
        if (byte < 0xc0) this.lineStart++;
        else if (byte >= 0xf0) this.lineStart--;
        at++;
      }
    }
  }

  private escape(at: number): number {
    const byte = this.bytes[at + 1]!;
    if (byte !== letterU) return escapable.has(byte) ? at + 2 : this.stop(at + 1);
    for (let i = at + 2; i < at + 6; i++) if (!hexDigits.has(this.bytes[i]!)) this.stop(i);
    return at + 6;
  }

  /** Over a value that holds no others. */
  single(at: number): number {
    const byte = this.bytes[at]!;
    if (byte === quote) return this.string(at);
    if (byte === minus || isDigit(byte)) return this.number(at);
    const word = words.get(byte) ?? this.stop(at);
    for (let i = 0; i < word.length; i++) if (this.bytes[at + i] !== word[i]) this.stop(at + i);
    return at + word.length;
  }

  private number(at: number): number {
    const { bytes } = this;
    if (bytes[at] === minus) at++;
    at = bytes[at] === zero ? at + 1 : this.digits(at);
    if (bytes[at] === dot) at = this.digits(at + 1);
    if (bytes[at] === letterE || bytes[at] === capitalE) {
      at++;
      at = this.digits(bytes[at] === minus || bytes[at] === plus ? at + 1 : at);
    }
    // There may be more of it.
    return at < this.length ? at : this.stop(at);
  }

  private digits(at: number): number {
    const { bytes } = this;
    if (!isDigit(bytes[at]!)) this.stop(at);
    while (isDigit(bytes[at]!)) at++;
    return at;
  }

  /** What stands here does not belong here. */
  private stop(at: number): never {
    throw at < this.length ? new Broken("not JSON") : new Unfinished("the window ends here");
  }
}

const code = (character: string): number => character.charCodeAt(0);

export const quote = code('"');
export const openingBrace = code("{");
export const closingBrace = code("}");
export const openingBracket = code("[");
export const closingBracket = code("]");
export const comma = code(",");
const colon = code(":");
export const backslash = code("\\");
const newline = code("\n");
const carriageReturn = code("\r");
const tab = code("\t");
const space = code(" ");
const minus = code("-");
const plus = code("+");
const dot = code(".");
const zero = code("0");
const letterE = code("e");
const capitalE = code("E");
const letterU = code("u");

const codes = (characters: string): readonly number[] => Array.from(characters, code);

const escapable: ReadonlySet<number> = new Set(codes('"\\/bfnrt'));
const hexDigits: ReadonlySet<number> = new Set(codes("0123456789abcdefABCDEF"));
const words = new Map(["true", "false", "null"].map((word) => [code(word), codes(word)]));

const isDigit = (byte: number): boolean => byte >= zero && byte <= zero + 9;

/** Which bytes of a string stand for themselves. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= space && byte < 0x80 && byte !== quote && byte !== backslash ? 1 : 0,
);

/** The same byte four times. */
const four = (byte: number): number => Math.imul(byte, 0x01010101);

const [fourOnes, fourSpaces, fourQuotes, fourBackslashes] = [
  four(1),
  four(space),
  four(quote),
  four(backslash),
];
const highBits = four(0x80);

/**
 * Whether each of four bytes is plain. Subtracting carries into the highest bit of a byte that is less than what is taken
 * from it: one that is less than 1 once a quote has been made 0, and so on. It may carry on into the next byte, but then
 * one was found already.
 */
function areFourPlain(bytes: number): boolean {
  const quotes = bytes ^ fourQuotes;
  const backslashes = bytes ^ fourBackslashes;
  const found =
    ((quotes - fourOnes) & ~quotes) |
    ((backslashes - fourOnes) & ~backslashes) |
    (bytes - fourSpaces) |
    bytes;
  return (found & highBits) === 0;
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
