import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Path } from "../diagnostics/place.js";
import type { Labels } from "../labels/requirement.js";
import type { JsonObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { ownText } from "../manifest/own-text.js";
import { readLabels } from "./read-labels.js";

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
