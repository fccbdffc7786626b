import type { LabelMatch, Requirement } from "./requirement.js";

/** Whether some labels could fulfil all the requirements at once. Exact: requirements on different keys are independent. */
export function isSatisfiable(match: LabelMatch): boolean {
  const byKey = new Map<string, Requirement[]>();
  for (const requirement of match)
    byKey.set(requirement.key, [...(byKey.get(requirement.key) ?? []), requirement]);
  return [...byKey.values()].every(keyIsSatisfiable);
}

function keyIsSatisfiable(requirements: readonly Requirement[]): boolean {
  const ofKind = (operator: Requirement["operator"]) => requirements.filter((r) => r.operator === operator);
  const mayBeAbsent = ofKind("In").length === 0 && ofKind("Exists").length === 0;
  if (mayBeAbsent) return true;
  if (ofKind("DoesNotExist").length > 0) return false;
  const excluded = new Set(ofKind("NotIn").flatMap((r) => r.values));
  const [first, ...rest] = ofKind("In").map((r) => r.values);
  // Without an In, any value that nobody excludes will do, and there are more than enough.
  if (first === undefined) return true;
  return first.some((value) => !excluded.has(value) && rest.every((values) => values.includes(value)));
}
