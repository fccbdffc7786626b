import { isObject, type Json, type JsonObject } from "./document.js";

/** Which fields of an object are read, and which of theirs; of a list, those of each item. */
export interface Outline {
  readonly [field: string]: Outline | "all";
}

/**
 * What is read of objects that are many and of which most is of no use. It is only a saving: a reader that knows nothing of
 * it, and takes objects as they are, is as right.
 */
export interface Excerpt {
  readonly outline: Outline;
  /** Whether nothing else is asked of such an object. Of all others, everything is read. */
  readonly suffices: (apiVersion: string, kind: string, excerpt: JsonObject) => boolean;
}

/** Of an object that was read as a whole, what an outline names. */
export function excerptOf(value: JsonObject, outline: Outline): JsonObject {
  const excerpt: Record<string, Json> = {};
  for (const [field, inner] of Object.entries(outline)) {
    const found = value[field];
    if (found !== undefined) excerpt[field] = inner === "all" ? found : inside(found, inner);
  }
  return excerpt;
}

function inside(value: Json, outline: Outline): Json {
  if (Array.isArray(value)) return value.map((item: Json) => inside(item, outline));
  return isObject(value) ? excerptOf(value, outline) : value;
}
