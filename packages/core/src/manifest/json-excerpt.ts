import type { Outline } from "./excerpt.js";
import {
  backslash,
  closingBrace,
  closingBracket,
  comma,
  type JsonScanner,
  openingBrace,
  openingBracket,
  quote,
} from "./json-scanner.js";
import { decodeUtf8, encodeUtf8 } from "./utf8.js";

/** Copies out of JSON what an outline names. The rest is only walked over: no text and no value is made of it. */
export class JsonExcerpts {
  private readonly whole: Part;
  private copy = new Uint8Array();
  private copied = 0;

  constructor(
    private readonly scanner: JsonScanner,
    outline: Outline,
  ) {
    this.whole = partOf(outline);
  }

  /** The excerpt of the value that begins here, and where the value ends. */
  read(at: number): { readonly text: string; readonly end: number } {
    const room = this.scanner.bytes.length;
    if (this.copy.length < room) this.copy = new Uint8Array(room);
    this.copied = 0;
    const end = this.value(at, this.whole);
    return { text: decodeUtf8(this.copy.subarray(0, this.copied)), end };
  }

  private value(at: number, part: Part): number {
    const first = this.scanner.bytes[at];
    if (part !== "all" && first === openingBrace) return this.object(at, part);
    if (part !== "all" && first === openingBracket) return this.list(at, part);
    const end = this.scanner.value(at);
    this.take(at, end);
    return end;
  }

  private list(at: number, part: Part): number {
    const { scanner } = this;
    this.put(openingBracket);
    at = scanner.space(at + 1);
    if (scanner.bytes[at] !== closingBracket)
      for (;;) {
        at = scanner.space(this.value(at, part));
        if (scanner.bytes[at] === closingBracket) break;
        at = scanner.comma(at);
        this.put(comma);
      }
    this.put(closingBracket);
    return at + 1;
  }

  private object(at: number, fields: readonly Field[]): number {
    const { scanner } = this;
    this.put(openingBrace);
    const beforeFields = this.copied;
    at = scanner.space(at + 1);
    if (scanner.bytes[at] !== closingBrace)
      for (;;) {
        at = scanner.space(this.field(at, fields, this.copied > beforeFields));
        if (scanner.bytes[at] === closingBrace) break;
        at = scanner.comma(at);
      }
    this.put(closingBrace);
    return at + 1;
  }

  private field(at: number, fields: readonly Field[], isNext: boolean): number {
    const { scanner } = this;
    const valueAt = scanner.key(at);
    const part = partAt(scanner.bytes, at, fields);
    if (part === undefined) return scanner.value(valueAt);
    if (isNext) this.put(comma);
    this.take(at, valueAt);
    return this.value(valueAt, part);
  }

  private put(byte: number): void {
    this.copy[this.copied++] = byte;
  }

  private take(from: number, to: number): void {
    const { copy } = this;
    const { bytes } = this.scanner;
    let { copied } = this;
    for (let at = from; at < to; at++) copy[copied++] = bytes[at]!;
    this.copied = copied;
  }
}

type Part = "all" | readonly Field[];

interface Field {
  /** With its quotes. */
  readonly key: Uint8Array;
  readonly part: Part;
}

function partOf(outline: Outline): Part {
  if (outline === "all") return "all";
  return Object.entries(outline).map(([name, inner]) => ({
    key: encodeUtf8(JSON.stringify(name)),
    part: partOf(inner),
  }));
}

/** What is wanted of the field whose key stands here; undefined for nothing. */
function partAt(bytes: Uint8Array, at: number, fields: readonly Field[]): Part | undefined {
  for (const { key, part } of fields) if (isAt(bytes, at, key)) return part;
  // A key with an escape may be any.
  for (let i = at + 1; bytes[i] !== quote; i++) if (bytes[i] === backslash) return "all";
  return undefined;
}

function isAt(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 1; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}
