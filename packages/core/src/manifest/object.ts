import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Path } from "../diagnostics/place.js";
import type { Document, JsonObject } from "./document.js";

/** One Kubernetes object of a document; `path` leads to it when the document is a list. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: JsonObject;
  readonly document: Document;
  readonly path: Path;
  /** The line it begins on, where that is known without looking for it. */
  readonly line?: number;
}

/**
 * An object as it comes out of a text. An instance, not an object literal: most objects of the first files are kept, and V8 would
 * allocate what a literal makes among the old ones from then on, where each pod that is read and dropped stays for long.
 */
export class ReadObject implements ManifestObject {
  readonly line?: number;

  constructor(
    readonly apiVersion: string,
    readonly kind: string,
    readonly value: JsonObject,
    readonly document: Document,
    readonly path: Path,
    line: number | undefined,
  ) {
    if (line !== undefined) this.line = line;
  }
}

/** Receives the objects of a text one by one: neither a large text nor its objects are held as a whole. */
export interface Receiver {
  readonly object: (object: ManifestObject) => void;
  readonly report: (diagnostic: Diagnostic) => void;
}
