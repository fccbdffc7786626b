import type { LabelMatch, Requirement } from "../labels/requirement.js";
import { isObject } from "../manifest/document.js";

/**
 * A Kubernetes label selector of an API that is not validated here. Undefined where any part of it is not understood:
 * then it may select everything (S9.4). A missing selector is everything, too.
 */
export function readSelector(value: unknown): LabelMatch | undefined {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return undefined;
  const { matchLabels = {}, matchExpressions = [], ...rest } = value;
  if (Object.keys(rest).length > 0) return undefined;
  if (!isObject(matchLabels) || !Array.isArray(matchExpressions)) return undefined;
  const found: Requirement[] = [];
  for (const [key, text] of Object.entries(matchLabels)) {
    if (typeof text !== "string") return undefined;
    found.push({ key, operator: "In", values: [text] });
  }
  for (const expression of matchExpressions) {
    const requirement = requirementOf(expression);
    if (requirement === undefined) return undefined;
    found.push(requirement);
  }
  return found;
}

function requirementOf(expression: unknown): Requirement | undefined {
  if (!isObject(expression)) return undefined;
  const { key, operator, values = [] } = expression;
  if (typeof key !== "string" || !isOperator(operator) || !Array.isArray(values)) return undefined;
  const texts = values.filter((text): text is string => typeof text === "string");
  const needsValues = operator === "In" || operator === "NotIn";
  if (texts.length !== values.length || needsValues !== texts.length > 0) return undefined;
  return { key, operator, values: texts };
}

const isOperator = (value: unknown): value is Requirement["operator"] =>
  value === "In" || value === "NotIn" || value === "Exists" || value === "DoesNotExist";
