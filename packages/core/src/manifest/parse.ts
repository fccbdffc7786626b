import { objectsInValue } from "./list.js";
import { parseJson } from "./json/json.js";
import type { ManifestObject, Receiver } from "./object.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { ParsedDocument } from "./document.js";
import { parseYaml } from "./yaml/yaml.js";
import type { Parsed } from "./yaml/yaml-tree.js";

/** YAML or JSON, one document or many. */
export function parseManifest(text: string, file: string): Parsed {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const json = parseJson(source, file);
  return json === undefined ? parseYaml(source, file) : { documents: json, diagnostics: [] };
}

/** The objects of the documents; `List`s and typed lists (`PodList`) are taken apart. */
export function objectsOf(documents: readonly ParsedDocument[]): {
  objects: readonly ManifestObject[];
  diagnostics: readonly Diagnostic[];
} {
  const objects: ManifestObject[] = [];
  const diagnostics: Diagnostic[] = [];
  const receiver: Receiver = {
    object: (object) => objects.push(object),
    report: (found) => diagnostics.push(found),
  };
  for (const { value, ...document } of documents) objectsInValue(value, document, receiver);
  return { objects, diagnostics };
}
