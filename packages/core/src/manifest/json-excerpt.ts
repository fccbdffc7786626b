import type { Json, JsonObject } from "./document.js";
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
import { LatestValue } from "./latest-value.js";
import { encodeUtf8 } from "./utf8.js";

/** Makes values of what an outline names. The rest is only walked over: no text and no value is made of it. */
export class JsonExcerpts {
  private readonly fields: readonly Field[];
  private copy = new Uint8Array();
  private copied = 0;
  /** Whether a key with an escape was passed over, which may be any. */
  private isDoubtful = false;

  constructor(
    private readonly scanner: JsonScanner,
    outline: Outline,
  ) {
    this.fields = fieldsOf(outline);
  }

  /** The excerpt of the object that begins here, undefined for one that must be read as a whole, and where it ends. */
  read(at: number): { readonly value: JsonObject | undefined; readonly end: number } {
    const room = this.scanner.bytes.length;
    if (this.copy.length < room) this.copy = new Uint8Array(room);
    this.isDoubtful = false;
    const value: Record<string, Json> = {};
    const end = this.object(at, this.fields, value);
    return { value: this.isDoubtful ? undefined : value, end };
  }

  private object(at: number, fields: readonly Field[], into: Record<string, Json>): number {
    const { scanner } = this;
    at = scanner.space(at + 1);
    if (scanner.bytes[at] !== closingBrace)
      for (;;) {
        at = scanner.space(this.field(at, fields, into));
        if (scanner.bytes[at] === closingBrace) break;
        at = scanner.comma(at);
      }
    return at + 1;
  }

  private field(at: number, fields: readonly Field[], into: Record<string, Json>): number {
    const { scanner } = this;
    const valueAt = scanner.key(at);
    const field = fieldAt(scanner.bytes, at, fields);
    if (field === undefined) {
      this.isDoubtful ||= hasEscape(scanner.bytes, at);
      return scanner.value(valueAt);
    }
    const { name, inner, latest } = field;
    const first = scanner.bytes[valueAt];
    if (inner === "all" || (first !== openingBrace && first !== openingBracket)) {
      const end = scanner.value(valueAt);
      into[name] = latest.read(scanner.bytes, valueAt, end);
      return end;
    }
    if (first === openingBrace) {
      const object = (into[name] = {});
      return this.object(valueAt, inner, object);
    }
    this.copied = 0;
    const end = this.copyList(valueAt, inner);
    into[name] = latest.read(this.copy, 0, this.copied);
    return end;
  }

  /*
   * The items of a list are read together: what is left of them is put into one text.
   */

  private copyList(at: number, fields: readonly Field[]): number {
    const { scanner } = this;
    this.put(openingBracket);
    at = scanner.space(at + 1);
    if (scanner.bytes[at] !== closingBracket)
      for (;;) {
        at = scanner.space(this.copyItem(at, fields));
        if (scanner.bytes[at] === closingBracket) break;
        at = scanner.comma(at);
        this.put(comma);
      }
    this.put(closingBracket);
    return at + 1;
  }

  /** Lists of lists are nothing that an outline names. They may be nested as deeply as they like. */
  private copyItem(at: number, fields: readonly Field[]): number {
    return this.scanner.bytes[at] === openingBracket ? this.copyValue(at, "all") : this.copyValue(at, fields);
  }

  private copyObject(at: number, fields: readonly Field[]): number {
    const { scanner } = this;
    this.put(openingBrace);
    const beforeFields = this.copied;
    at = scanner.space(at + 1);
    if (scanner.bytes[at] !== closingBrace)
      for (;;) {
        at = scanner.space(this.copyField(at, fields, this.copied > beforeFields));
        if (scanner.bytes[at] === closingBrace) break;
        at = scanner.comma(at);
      }
    this.put(closingBrace);
    return at + 1;
  }

  private copyField(at: number, fields: readonly Field[], isNext: boolean): number {
    const { scanner } = this;
    const valueAt = scanner.key(at);
    const field = fieldAt(scanner.bytes, at, fields);
    if (field === undefined) {
      this.isDoubtful ||= hasEscape(scanner.bytes, at);
      return scanner.value(valueAt);
    }
    if (isNext) this.put(comma);
    this.take(at, valueAt);
    return this.copyValue(valueAt, field.inner);
  }

  private copyValue(at: number, inner: Field["inner"]): number {
    const first = this.scanner.bytes[at];
    if (inner !== "all" && first === openingBrace) return this.copyObject(at, inner);
    if (inner !== "all" && first === openingBracket) return this.copyList(at, inner);
    const end = this.scanner.value(at);
    this.take(at, end);
    return end;
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

interface Field {
  readonly name: string;
  /** With its quotes. */
  readonly key: Uint8Array;
  readonly inner: "all" | readonly Field[];
  readonly latest: LatestValue;
}

function fieldsOf(outline: Outline): readonly Field[] {
  return Object.entries(outline).map(([name, inner]) => ({
    name,
    key: encodeUtf8(JSON.stringify(name)),
    inner: inner === "all" ? inner : fieldsOf(inner),
    latest: new LatestValue(),
  }));
}

/** The field whose key stands here; undefined where nobody wants it. */
function fieldAt(bytes: Uint8Array, at: number, fields: readonly Field[]): Field | undefined {
  for (const field of fields) if (isAt(bytes, at, field.key)) return field;
  return undefined;
}

function isAt(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 1; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}

/** Whether there is an escape in the key that stands here. */
function hasEscape(bytes: Uint8Array, at: number): boolean {
  for (let i = at + 1; bytes[i] !== quote; i++) if (bytes[i] === backslash) return true;
  return false;
}
