import { type LabelMatch, type Labels, type Requirement, selects } from "./requirement.js";

/** Whether some labels could match all the requirements at once. Exact: requirements on different keys are independent. */
export function isSatisfiable(match: LabelMatch): boolean {
  return exampleOf(match) !== undefined;
}

/** The fewest labels that match all the requirements; undefined if none can. */
export function exampleOf(match: LabelMatch): Labels | undefined {
  const labels: Record<string, string> = {};
  for (const key of new Set(match.map((requirement) => requirement.key))) {
    const own = match.filter((requirement) => requirement.key === key);
    if (selects(own, {})) continue;
    const value = candidates(own).find((candidate) => selects(own, { [key]: candidate }));
    if (value === undefined) return undefined;
    labels[key] = value;
  }
  return labels;
}

/** Whether all labels that match the first also match the second. Exact, if any labels match the first. */
export function implies(first: LabelMatch, second: LabelMatch): boolean {
  return second.every((requirement) => {
    const own = first.filter(({ key }) => key === requirement.key);
    // The first has no requirement on this label: only one that excludes nothing holds for all.
    if (own.length === 0) return requirement.operator === "NotIn" && requirement.values.length === 0;
    return !isSatisfiable([...own, negated(requirement)]);
  });
}

/** Representative values: those in the requirements, and one that is in none. */
function candidates(requirements: readonly Requirement[]): readonly string[] {
  const [first] = requirements.filter(({ operator }) => operator === "In");
  if (first !== undefined) return first.values;
  const spokenOf = new Set(requirements.flatMap(({ values }) => values));
  return Array.from({ length: spokenOf.size + 1 }, (_, i) => (i === 0 ? "any" : `any-${i}`));
}

// S1.10
function negated({ key, operator, values }: Requirement): Requirement {
  const opposites = { In: "NotIn", NotIn: "In", Exists: "DoesNotExist", DoesNotExist: "Exists" } as const;
  return { key, operator: opposites[operator], values };
}
