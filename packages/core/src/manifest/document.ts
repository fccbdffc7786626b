import type { Path, Place } from "../diagnostics/place.js";

/** A plain value as JSON knows it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** One document of a file: its value, and where each part of it stands. */
export interface Document {
  readonly file: string;
  readonly value: Json;
  /** Where the value at this path stands; the nearest enclosing one where the path leads nowhere. */
  readonly placeOf: (path: Path) => Place;
  /** Where the key at the end of this path stands. */
  readonly placeOfKey: (path: Path) => Place;
  /** The single value at this path as it was written: `on`, where the value is true. */
  readonly writtenAt: (path: Path) => string | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
