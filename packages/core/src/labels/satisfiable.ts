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

/** Representative values: those in the requirements, and one that is in none. */
function candidates(requirements: readonly Requirement[]): readonly string[] {
  const [first] = requirements.filter(({ operator }) => operator === "In");
  if (first !== undefined) return first.values;
  const spokenOf = new Set(requirements.flatMap(({ values }) => values));
  return Array.from({ length: spokenOf.size + 1 }, (_, i) => (i === 0 ? "any" : `any-${i}`));
}
