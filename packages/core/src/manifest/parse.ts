import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import type { Path } from "../diagnostics/place.js";
import { type Document, isObject, type Json } from "./document.js";
import { parseJson } from "./json.js";
import type { ManifestObject } from "./object.js";
import { parseYaml, type Parsed } from "./yaml.js";

/** YAML or JSON, one document or many. */
export function parseManifest(text: string, file: string): Parsed {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const json = parseJson(source, file);
  return json === undefined ? parseYaml(source, file) : { documents: json, diagnostics: [] };
}

/** The objects of the documents; `List`s and typed lists (`PodList`) are taken apart. */
export function objectsOf(documents: readonly Document[]): {
  objects: readonly ManifestObject[];
  diagnostics: readonly Diagnostic[];
} {
  const objects: ManifestObject[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const document of documents) {
    const { value } = document;
    if (isObject(value)) takeApart(value, document, [], "", objects, diagnostics);
    // Repositories hold lists of all sorts; one of Kubernetes objects is a mistake, others are none of our business.
    else if (Array.isArray(value) && !value.some((item) => isObject(item) && "kind" in item))
      objects.push({ apiVersion: "", kind: "", value: {}, document, path: [] });
    else
      diagnostics.push(
        diagnostic(
          "TW1003",
          `this document is ${Array.isArray(document.value) ? "a list" : "a single value"}, not a Kubernetes object`,
          {
            place: document.placeOf([]),
            hint: "A manifest is an object with `apiVersion`, `kind` and `metadata`; several go into one file with `---` between them.",
          },
        ),
      );
  }
  return { objects, diagnostics };
}

/** `items` of `items`, counted in steps of the path; nobody nests lists by hand. */
const deepestList = 40;

function takeApart(
  value: Json,
  document: Document,
  path: Path,
  listKind: string,
  objects: ManifestObject[],
  diagnostics: Diagnostic[],
): void {
  if (path.length > deepestList) {
    diagnostics.push(
      diagnostic("TW1005", "lists are nested too deeply here", { place: document.placeOf(path), path }),
    );
    return;
  }
  if (!isObject(value)) {
    diagnostics.push(
      diagnostic("TW1003", "this item of the list is not a Kubernetes object", {
        place: document.placeOf(path),
        path,
      }),
    );
    return;
  }
  // Items of typed lists may leave out what the list's own kind says.
  const [listVersion, itemKind] = listKind.split(" ");
  const apiVersion = typeof value.apiVersion === "string" ? value.apiVersion : (listVersion ?? "");
  const kind = typeof value.kind === "string" ? value.kind : (itemKind ?? "");
  if (!kind.endsWith("List") || !("items" in value || kind === "List")) {
    objects.push({
      apiVersion,
      kind,
      value: itemKind === undefined ? value : { ...value, apiVersion, kind },
      document,
      path,
    });
    return;
  }
  const items = value.items ?? null;
  if (!Array.isArray(items)) {
    if (items !== null || kind === "List")
      diagnostics.push(
        diagnostic("TW1005", `this ${kind} has no list of \`items\``, {
          place: document.placeOf([...path, "items" in value ? "items" : "kind"]),
          path,
        }),
      );
    return;
  }
  const inner = kind === "List" ? "" : `${apiVersion} ${kind.slice(0, -"List".length)}`;
  for (const [i, item] of items.entries())
    takeApart(item as Json, document, [...path, "items", i], inner, objects, diagnostics);
}
