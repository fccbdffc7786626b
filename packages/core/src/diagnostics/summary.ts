/* Summaries of lists: counts by kind, and the first items. */

/** `3 Pod, 1 Service`. */
export const formatCounts = (counts: ReadonlyMap<string, number>): string =>
  Array.from(counts, ([name, count]) => `${count} ${name}`).join(", ");

/** `a, b and 3 more`. */
export function firstOf(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
