import type { End } from "./end.js";

/** Ends, in the order in which peers ask for them: those of pods by namespace, those that may be several, and all others. */
export class Population {
  readonly podsIn = new Map<string, Set<End>>();
  readonly ambiguous = new Set<End>();
  readonly others = new Set<End>();

  get isEmpty(): boolean {
    return this.podsIn.size + this.ambiguous.size + this.others.size === 0;
  }

  add(end: End): void {
    this.groupOf(end).add(end);
  }

  delete(end: End): void {
    this.groupOf(end).delete(end);
  }

  has(end: End): boolean {
    return this.groupOf(end).has(end);
  }

  *[Symbol.iterator](): Iterator<End> {
    yield* this.others;
    yield* this.ambiguous;
    for (const ends of this.podsIn.values()) yield* ends;
  }

  private groupOf({ kind, sample }: End): Set<End> {
    if (kind === "ambiguous") return this.ambiguous;
    if (kind !== "pod" || sample.kind !== "pod") return this.others;
    const known = this.podsIn.get(sample.pod.namespace) ?? new Set();
    this.podsIn.set(sample.pod.namespace, known);
    return known;
  }
}

/** Removes from a map whoever is gone; answers with those who were in it. */
export function removeAll(gone: ReadonlySet<End>, from: Map<End, unknown>): readonly End[] {
  const removed: End[] = [];
  if (gone.size < from.size) {
    for (const end of gone) if (from.delete(end)) removed.push(end);
  } else
    for (const end of from.keys())
      if (gone.has(end)) {
        from.delete(end);
        removed.push(end);
      }
  return removed;
}
