import type { Outline } from "./excerpt.js";
import { backslash, quote } from "./json-scanner.js";
import { LatestValue } from "./latest-value.js";
import { encodeUtf8 } from "./utf8.js";

/** A field that an outline names, as it is found among bytes. */
export interface Field {
  readonly name: string;
  /** By which it goes in notes: from 0, as the outline names them. */
  readonly number: number;
  /** With its quotes. */
  readonly key: Uint8Array;
  readonly inner: "all" | readonly Field[];
  readonly latest: LatestValue;
}

export function fieldsOf(outline: Outline): readonly Field[] {
  let count = 0;
  const fieldsIn = (inside: Outline): readonly Field[] =>
    Object.entries(inside).map(([name, inner]) => ({
      name,
      number: count++,
      key: encodeUtf8(JSON.stringify(name)),
      inner: inner === "all" ? inner : fieldsIn(inner),
      latest: new LatestValue(),
    }));
  return fieldsIn(outline);
}

/** The names of all fields, by number. */
export function fieldNames(outline: Outline): readonly string[] {
  const namesIn = (fields: readonly Field[]): readonly string[] =>
    fields.flatMap(({ name, inner }) => [name, ...(inner === "all" ? [] : namesIn(inner))]);
  return namesIn(fieldsOf(outline));
}

/** The field whose key stands here; undefined where nobody wants it. */
export function fieldAt(bytes: Uint8Array, at: number, fields: readonly Field[]): Field | undefined {
  for (const field of fields) if (isAt(bytes, at, field.key)) return field;
  return undefined;
}

function isAt(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 1; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}

/** Whether there is an escape in the key that stands here. */
export function hasEscape(bytes: Uint8Array, at: number): boolean {
  for (let i = at + 1; bytes[i] !== quote; i++) if (bytes[i] === backslash) return true;
  return false;
}
