import type { Path, Place } from "../diagnostics/place.js";

/** A plain value as JSON knows it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Words for people, and what they speak of. */
export interface Comment {
  readonly path: Path;
  /** On the lines above it, or on its own line. */
  readonly side: "before" | "beside";
  /** One line, without the `#`. */
  readonly text: string;
}

/** One document of a file: where each part of it stands. */
export interface Document {
  readonly file: string;
  /** Where the value at this path stands; the nearest enclosing one where the path leads nowhere. */
  readonly placeOf: (path: Path) => Place;
  /** Where the key at the end of this path stands. */
  readonly placeOfKey: (path: Path) => Place;
  /** The single value at this path as it was written: `on`, where the value is true. */
  readonly writtenAt: (path: Path) => string | undefined;
  /** The comments on the value at this path and inside it; their paths lead on from there. */
  readonly commentsIn: (path: Path) => readonly Comment[];
}

/** A document with what it says. */
export interface ParsedDocument extends Document {
  readonly value: Json;
}

/** The same places under another path: an item of a list that is read alone still goes by its place in the list. */
export function moved(document: Document, inner: (path: Path) => Path): Document {
  return {
    file: document.file,
    placeOf: (path) => document.placeOf(inner(path)),
    placeOfKey: (path) => document.placeOfKey(inner(path)),
    writtenAt: (path) => document.writtenAt(inner(path)),
    commentsIn: (path) => document.commentsIn(inner(path)),
  };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
