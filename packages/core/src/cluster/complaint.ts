import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import type { Path } from "../diagnostics/place.js";
import { isObject, type Json } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { child, text } from "./fields.js";

export function notText(found: Json, source: ManifestObject, path: Path): Diagnostic {
  const what = isObject(found)
    ? "an object"
    : Array.isArray(found)
      ? "a list"
      : `\`${JSON.stringify(found)}\``;
  const written = source.document.writtenAt([...source.path, ...path]);
  const advice = written === undefined ? "" : `; put it in quotes: "${written}"`;
  return diagnostic("TW1201", `expected text, found ${what}${advice}`, at(source, path, "value"));
}

/** Where in the input, and of which object. */
export function at({ document, path: root, kind, value }: ManifestObject, path: Path, what: "key" | "value") {
  const full = [...root, ...path];
  const place = what === "key" ? document.placeOfKey(full) : document.placeOf(full);
  const metadata = child(value, "metadata");
  const name = [text(metadata, "namespace"), text(metadata, "name")].filter((part) => part !== undefined);
  return { place, object: [kind, name.join("/")].filter((part) => part !== "").join(" "), path };
}
