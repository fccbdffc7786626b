import { clusterFile, type Document, type JsonObject, type ManifestObject } from "@tierwall/core/manifest";

/** An object of a cluster as the core takes objects. */
export function asManifest(value: JsonObject): ManifestObject {
  const { apiVersion, kind } = value as { apiVersion: string; kind: string };
  return { apiVersion, kind, value, document: clusterDocument, path: [] };
}

/** What comes from a cluster is in no file: messages name the object and the field instead. */
const nowhere = { file: clusterFile, line: 1, column: 1, length: 1 };
const clusterDocument: Document = {
  file: nowhere.file,
  placeOf: () => nowhere,
  placeOfKey: () => nowhere,
  writtenAt: () => undefined,
  commentsIn: () => [],
};
