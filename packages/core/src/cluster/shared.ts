import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import type { Path } from "../diagnostics/place.js";
import type { Labels } from "../labels/requirement.js";
import { type JsonObject, isObject, type Json } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { ownText } from "../manifest/own-text.js";
import { labelKey, labelValue } from "../schema/formats.js";
import { child, text } from "./fields.js";

/** What many pods have in common, once: those of one workload have the same labels, ports and controller. */
export class Shared {
  private readonly texts = new Map<string, string>();
  private readonly labelSets = new Map<string, Labels>();
  private readonly values = new Map<string, unknown>();

  text(text: string): string {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    const own = ownText(text);
    this.texts.set(own, own);
    return own;
  }

  /** `key` identifies the value. */
  value<T extends object>(key: string, make: () => T): T {
    const known = this.values.get(key);
    if (known !== undefined) return known as T;
    const made = make();
    this.values.set(ownText(key), made);
    return made;
  }

  /** Labels that were validated need not be checked again. */
  labels(labels: JsonObject, path: Path, source: ManifestObject, diagnostics: Diagnostic[]): Labels {
    const key = JSON.stringify(labels);
    const known = this.labelSets.get(key);
    if (known !== undefined) return known;
    const before = diagnostics.length;
    const read = readLabels(labels, path, source, diagnostics);
    if (diagnostics.length > before) return read;
    const own = Object.fromEntries(Object.entries(read).map(([name, value]) => [name, this.text(value)]));
    this.labelSets.set(key, own);
    return own;
  }
}

/** Labels as they are, null as an empty string (S10.5); anything else is an error, as in Kubernetes. */
export function readLabels(
  labels: JsonObject,
  path: Path,
  source: ManifestObject,
  diagnostics: Diagnostic[],
): Labels {
  const read: Record<string, string> = {};
  for (const [key, value] of Object.entries(labels)) {
    const where = (what: "key" | "value") => at(source, [...path, key], what);
    for (const { code, message } of labelKey.check(key))
      diagnostics.push(diagnostic(code, message, where("key")));
    if (typeof value === "string") {
      read[key] = value;
      for (const { code, message } of labelValue.check(value))
        diagnostics.push(diagnostic(code, message, where("value")));
    } else if (value === null) {
      read[key] = "";
      const message = `label \`${key}\` has no value; it is read as an empty string`;
      diagnostics.push(diagnostic("TW2010", message, where("key")));
    } else diagnostics.push(notText(value, source, [...path, key]));
  }
  return read;
}

export function notText(found: Json, source: ManifestObject, path: Path): Diagnostic {
  const single = isObject(found) ? "an object" : `\`${JSON.stringify(found)}\``;
  const what = Array.isArray(found) ? "a list" : single;
  const written = source.document.writtenAt([...source.path, ...path]);
  const advice = written === undefined ? "" : `; put it in quotes: "${written}"`;
  return diagnostic("TW1201", `expected a string, found ${what}${advice}`, at(source, path, "value"));
}

/** Where in the input, and of which object. */
export function at({ document, path: root, kind, value }: ManifestObject, path: Path, what: "key" | "value") {
  const full = [...root, ...path];
  const place = what === "key" ? document.placeOfKey(full) : document.placeOf(full);
  const metadata = child(value, "metadata");
  const name = [text(metadata, "namespace"), text(metadata, "name")].filter((part) => part !== undefined);
  return { place, object: [kind, name.join("/")].filter((part) => part !== "").join(" "), path };
}
