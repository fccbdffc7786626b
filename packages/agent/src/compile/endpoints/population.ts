import { type Cidr, formatCidr } from "@tierwall/core";
import type { End } from "./end.js";

/** Ends, as peers ask for them: those of pods by namespace, those that may be several, all others; and by the blocks around them. */
export class Population {
  readonly podsIn = new Map<string, Set<End>>();
  readonly ambiguous = new Set<End>();
  readonly others = new Set<End>();
  private readonly inBlock = new Map<string, Set<End>>();

  get isEmpty(): boolean {
    return this.podsIn.size + this.ambiguous.size + this.others.size === 0;
  }

  add(end: End): void {
    for (const group of this.groupsOf(end)) group.add(end);
  }

  delete(end: End): void {
    for (const group of this.groupsOf(end)) group.delete(end);
  }

  has(end: End): boolean {
    return this.groupsOf(end)[0]!.has(end);
  }

  /** Each of them once. */
  inAnyOf(blocks: readonly Cidr[]): Iterable<End> {
    return new Set(blocks.flatMap((block) => [...(this.inBlock.get(formatCidr(block)) ?? [])]));
  }

  *[Symbol.iterator](): Iterator<End> {
    yield* this.others;
    yield* this.ambiguous;
    for (const ends of this.podsIn.values()) yield* ends;
  }

  private groupsOf({ kind, sample, blocks }: End): readonly Set<End>[] {
    const inBlocks = blocks === "" ? [] : blocks.split(",").map((block) => groupAt(this.inBlock, block));
    if (kind === "ambiguous") return [this.ambiguous, ...inBlocks];
    if (kind !== "pod" || sample.kind !== "pod") return [this.others, ...inBlocks];
    return [groupAt(this.podsIn, sample.pod.namespace), ...inBlocks];
  }
}

function groupAt(groups: Map<string, Set<End>>, key: string): Set<End> {
  const known = groups.get(key) ?? new Set();
  groups.set(key, known);
  return known;
}

/** Removes ends that are gone from a map; returns those that were in it. */
export function removeAll(gone: ReadonlySet<End>, from: Map<End, unknown>): readonly End[] {
  const candidates = gone.size < from.size ? gone : [...from.keys()].filter((end) => gone.has(end));
  return [...candidates].filter((end) => from.delete(end));
}
