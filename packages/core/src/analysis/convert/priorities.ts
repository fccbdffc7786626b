/** What takes a place in the order of a tier: one that stays what it is, or one that gets a number. */
export type PriorityPlace =
  | { readonly kind: "kept"; readonly priority: number }
  | { readonly kind: "new"; readonly wanted: number };

const largest = 1000;

/**
 * A number for each place, in the order given. New ones get the number they want, or the nearest that keeps the order and
 * is theirs alone. Undefined where there is no room.
 */
export function assignPriorities(places: readonly PriorityPlace[]): readonly number[] | undefined {
  const limits = latest(places);
  const assigned: number[] = [];
  for (const [i, place] of places.entries()) {
    const before = assigned[i - 1] ?? -1;
    const isOrdered = place.kind === "kept" && places[i - 1]?.kind !== "new";
    const priority =
      place.kind === "kept" ? place.priority : Math.min(Math.max(place.wanted, before + 1), limits[i]!);
    if (priority <= before && !isOrdered) return undefined;
    assigned.push(priority);
  }
  return assigned;
}

/** The largest number each may have and leave room for those behind it. */
function latest(places: readonly PriorityPlace[]): readonly number[] {
  const limits: number[] = [];
  let next = largest + 1;
  for (const place of places.toReversed()) {
    next = place.kind === "kept" ? Math.min(place.priority, next) : next - 1;
    limits.push(next);
  }
  return limits.toReversed();
}
