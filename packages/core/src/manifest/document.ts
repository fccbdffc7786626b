import type { Path, Place } from "../diagnostics/place.js";

/** A plain value as JSON knows it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A comment, and what it refers to. */
export interface Comment {
  readonly path: Path;
  /** On the lines above it, or on its own line. */
  readonly side: "before" | "inline";
  /** One line, without the `#`. */
  readonly text: string;
}

/** One document of a file: where each part of it is. */
export interface Document {
  readonly file: string;
  /** Where the value at this path is; the nearest enclosing one if the path leads nowhere. */
  placeOf(path: Path): Place;
  /** Where the key at the end of this path is. */
  placeOfKey(path: Path): Place;
  /** The single value at this path as it was written: `on`, where the value is true. */
  writtenAt(path: Path): string | undefined;
  /** The comments on the value at this path and inside it; their paths lead on from there. */
  commentsIn(path: Path): readonly Comment[];
}

/** A document with its value. */
export interface ParsedDocument extends Document {
  readonly value: Json;
}

/** The same places under another path: an item of a list that is read alone keeps its path in the list. */
export class MovedDocument implements Document {
  constructor(
    private readonly document: Document,
    private readonly inner: (path: Path) => Path,
  ) {}

  get file(): string {
    return this.document.file;
  }

  placeOf(path: Path): Place {
    return this.document.placeOf(this.inner(path));
  }

  placeOfKey(path: Path): Place {
    return this.document.placeOfKey(this.inner(path));
  }

  writtenAt(path: Path): string | undefined {
    return this.document.writtenAt(this.inner(path));
  }

  commentsIn(path: Path): readonly Comment[] {
    return this.document.commentsIn(this.inner(path));
  }
}

/** The value that a path leads to; undefined where it leads nowhere. */
export function valueAt(value: Json, path: Path): Json | undefined {
  let found: Json | undefined = value;
  for (const step of path) {
    if (typeof step === "string") found = isObject(found) ? found[step] : undefined;
    else found = Array.isArray(found) ? (found as readonly Json[])[step] : undefined;
  }
  return found;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
