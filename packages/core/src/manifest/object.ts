import type { Path } from "../diagnostics/place.js";
import type { Document, JsonObject } from "./document.js";

/** One Kubernetes object of a document; `path` leads to it when the document is a list. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: JsonObject;
  readonly document: Document;
  readonly path: Path;
}
