import type { JsonObject } from "./document.js";

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
