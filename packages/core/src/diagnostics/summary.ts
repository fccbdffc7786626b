/* Many things in few words: by what they have in common, how many there are of each, and the first of them. */

/** In the order in which each group was met first. */
export function grouped<K, T>(
  items: Iterable<T>,
  keyOf: (item: T) => K,
): ReadonlyMap<K, readonly [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}

/** How often there is each, in the same order. */
export function countsOf<K>(items: Iterable<K>): ReadonlyMap<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** `3 Pod, 1 Service`. */
export const formatCounts = (counts: ReadonlyMap<string, number>): string =>
  Array.from(counts, ([name, count]) => `${count} ${name}`).join(", ");

/** `a, b and 3 more`. */
export function firstOf(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
