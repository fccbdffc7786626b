import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import type { Path } from "../diagnostics/place.js";
import type { Labels } from "../labels/requirement.js";
import type { JsonObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { labelKey, labelValue } from "../schema/formats.js";
import { at, notText } from "./complaint.js";

/** Labels as they are, null as the empty text (S10.5), anything else a mistake that Kubernetes would refuse. */
export function readLabels(
  labels: JsonObject,
  path: Path,
  source: ManifestObject,
  diagnostics: Diagnostic[],
): Labels {
  const read: Record<string, string> = {};
  for (const [key, value] of Object.entries(labels)) {
    for (const complaint of labelKey.check(key))
      diagnostics.push(diagnostic(complaint.code, complaint.message, at(source, [...path, key], "key")));
    if (typeof value === "string") {
      read[key] = value;
      for (const complaint of labelValue.check(value))
        diagnostics.push(diagnostic(complaint.code, complaint.message, at(source, [...path, key], "value")));
    } else if (value === null) {
      read[key] = "";
      diagnostics.push(
        diagnostic(
          "TW2010",
          `label \`${key}\` has no value; it is read as the empty text`,
          at(source, [...path, key], "key"),
        ),
      );
    } else diagnostics.push(notText(value, source, [...path, key]));
  }
  return read;
}
