import { type LabelMatch, type Labels, namespaceNameLabel, selects } from "../../../labels/requirement.js";

/**
 * Selectors, combined with OR, that match exactly the first of two lists of labels; as short as possible. Undefined if
 * labels do not distinguish the two.
 */
export function selectorsFor(
  wanted: readonly Labels[],
  others: readonly Labels[],
): readonly LabelMatch[] | undefined {
  if (others.length === 0) return [[]];
  const byOneKey = selectorByOneKey(wanted, others);
  if (byOneKey !== undefined) return [byOneKey];
  const found = new Map<string, LabelMatch>();
  for (const labels of wanted) {
    const match = selectorOf(labels, others);
    if (match === undefined) return undefined;
    found.set(JSON.stringify(match), match);
  }
  return [...found.values()];
}

const has = (labels: Labels, key: string): boolean => Object.hasOwn(labels, key);

/** `app in (a, b)`: the key with the fewest values; a namespace by its name only where nothing else will do. */
function selectorByOneKey(wanted: readonly Labels[], others: readonly Labels[]): LabelMatch | undefined {
  const keys = Object.keys(wanted[0] ?? {}).filter((key) => wanted.every((labels) => has(labels, key)));
  const candidates = keys.flatMap((key) => {
    const values = [...new Set(wanted.map((labels) => labels[key]!))];
    const match: LabelMatch = [{ key, operator: "In", values: values.toSorted() }];
    return others.some((labels) => selects(match, labels)) ? [] : [{ key, values, match }];
  });
  const rank = (key: string) => (key === namespaceNameLabel ? 1 : 0);
  return candidates.toSorted((a, b) => rank(a.key) - rank(b.key) || a.values.length - b.values.length)[0]
    ?.match;
}

/** Those with these labels and, where others have more, without theirs; then as few of them as will do. */
function selectorOf(labels: Labels, others: readonly Labels[]): LabelMatch | undefined {
  const all: LabelMatch = Object.entries(labels).map(([key, value]) => ({
    key,
    operator: "In",
    values: [value],
  }));
  const more = new Set(
    others
      .filter((other) => selects(all, other))
      .flatMap((other) => Object.keys(other).filter((key) => !has(labels, key))),
  );
  const without: LabelMatch = [...more].map((key) => ({ key, operator: "DoesNotExist", values: [] }));
  const isExact = (match: LabelMatch) => !others.some((other) => selects(match, other));
  let match: LabelMatch = [...all, ...without];
  if (!isExact(match)) return undefined;
  // Without any label of their own, pods that come later would be among them.
  if (without.length > 0) return match;
  for (const requirement of match) {
    const fewer = match.filter((one) => one !== requirement);
    if (isExact(fewer)) match = fewer;
  }
  return match;
}
