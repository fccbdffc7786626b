import { diagnostic } from "../diagnostics/diagnostic.js";
import type { Path } from "../diagnostics/place.js";
import { type Document, isObject, type Json, type JsonObject } from "./document.js";
import { ReadObject, type Receiver } from "./object.js";

/** The objects of one document; `List`s and typed lists (`PodList`) are taken apart. */
export function objectsInValue(value: Json, document: Document, receiver: Receiver, line?: number): void {
  if (isObject(value)) takeApart(value, document, [], undefined, receiver, line);
  // Repositories hold lists of all sorts; one of Kubernetes objects is a mistake, others are ignored.
  else if (Array.isArray(value) && !value.some((item) => isObject(item) && "kind" in item))
    receiver.object({ apiVersion: "", kind: "", value: {}, document, path: [] });
  else
    receiver.report(
      diagnostic(
        "TW1003",
        `this document is ${Array.isArray(value) ? "a list" : "a single value"}, not a Kubernetes object`,
        {
          place: document.placeOf([]),
          hint: "A manifest is an object with `apiVersion`, `kind` and `metadata`; separate several in one file with `---`.",
        },
      ),
    );
}

/** `items` of `items`, counted in steps of the path; manifests do not nest lists. */
const deepestList = 40;

/** What a typed list states about its items; undefined for a `List`, which may contain anything. */
export type ListKind = { readonly apiVersion: string; readonly kind: string } | undefined;

export const isListKind = (kind: string): boolean => kind.endsWith("List");

export function listKindOf(apiVersion: string, kind: string): ListKind {
  return kind === "List" ? undefined : { apiVersion, kind: kind.slice(0, -"List".length) };
}

/** What an object is. Items of typed lists may leave out what the list's own kind says. */
export function typeOf(value: JsonObject, list: ListKind): { apiVersion: string; kind: string } {
  return {
    apiVersion: typeof value.apiVersion === "string" ? value.apiVersion : (list?.apiVersion ?? ""),
    kind: typeof value.kind === "string" ? value.kind : (list?.kind ?? ""),
  };
}

/** What a value at some path of a document is: an object, or a list of them. `line` is where it begins, if that is known. */
export function takeApart(
  value: Json,
  document: Document,
  path: Path,
  list: ListKind,
  receiver: Receiver,
  line?: number,
): void {
  const report = (code: "TW1003" | "TW1005", message: string, at: Path = path) =>
    receiver.report(diagnostic(code, message, { place: document.placeOf(at), path }));
  if (path.length > deepestList) return report("TW1005", "lists are nested too deeply here");
  if (!isObject(value)) return report("TW1003", "this item of the list is not a Kubernetes object");
  const { apiVersion, kind } = typeOf(value, list);
  if (!isListKind(kind) || !("items" in value || kind === "List")) {
    const typed = list === undefined ? value : { ...value, apiVersion, kind };
    receiver.object(new ReadObject(apiVersion, kind, typed, document, path, line));
    return;
  }
  const items = value.items ?? null;
  if (!Array.isArray(items)) {
    if (items !== null || kind === "List")
      report("TW1005", `this ${kind} has no list of \`items\``, [
        ...path,
        "items" in value ? "items" : "kind",
      ]);
    return;
  }
  const inner = listKindOf(apiVersion, kind);
  for (const [i, item] of items.entries())
    takeApart(item as Json, document, [...path, "items", i], inner, receiver);
}
