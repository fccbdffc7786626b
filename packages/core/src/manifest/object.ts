import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Path } from "../diagnostics/place.js";
import type { Document, JsonObject } from "./document.js";
import type { Excerpt } from "./excerpt.js";

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

/** Who gets what is found in a text, one by one: a large text is not held as a whole, and neither are its objects. */
export interface Receiver {
  readonly object: (object: ManifestObject) => void;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Of which objects it looks at a part only, and keeps no document. A large text is read faster for it. */
  readonly excerpt?: Excerpt;
}
