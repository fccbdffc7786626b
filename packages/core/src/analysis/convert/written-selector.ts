import type { LabelMatch } from "../../labels/requirement.js";
import type { JsonObject } from "../../manifest/document.js";

/** A label selector as it is written in manifests. `matchLabels` cannot have two requirements for the same key. */
export function writtenSelector(match: LabelMatch): JsonObject {
  const labels: Record<string, string> = {};
  const expressions: JsonObject[] = [];
  for (const { key, operator, values } of match) {
    const [value] = values;
    if (operator === "In" && values.length === 1 && value !== undefined && !Object.hasOwn(labels, key))
      labels[key] = value;
    else if (operator === "In" || operator === "NotIn")
      expressions.push({ key, operator, values: [...values] });
    else expressions.push({ key, operator });
  }
  return {
    ...(Object.keys(labels).length > 0 ? { matchLabels: labels } : {}),
    ...(expressions.length > 0 ? { matchExpressions: expressions } : {}),
  };
}
