import { type Cidr, formatCidr } from "@tierwall/core/model";
import type { End } from "./end.js";

/** Ends, indexed for peers: those of pods by namespace, ambiguous ones, all others; and by the blocks that contain them. */
export class Population {
  readonly podsIn = new Map<string, Set<End>>();
  readonly ambiguous = new Set<End>();
  readonly others = new Set<End>();
  private readonly inBlock = new Map<string, Set<End>>();

  get isEmpty(): boolean {
    return this.podsIn.size + this.ambiguous.size + this.others.size === 0;
  }

  add(end: End): void {
    this.groupOf(end).add(end);
    for (const block of blocksAround(end)) groupAt(this.inBlock, block).add(end);
  }

  delete(end: End): void {
    this.groupOf(end).delete(end);
    for (const block of blocksAround(end)) this.inBlock.get(block)?.delete(end);
  }

  has(end: End): boolean {
    return this.groupOf(end).has(end);
  }

  /** Without duplicates. */
  inAnyOf(blocks: readonly Cidr[]): Iterable<End> {
    return new Set(blocks.flatMap((block) => [...(this.inBlock.get(formatCidr(block)) ?? [])]));
  }

  *[Symbol.iterator](): Iterator<End> {
    yield* this.others;
    yield* this.ambiguous;
    for (const ends of this.podsIn.values()) yield* ends;
  }

  private groupOf({ kind, sample }: End): Set<End> {
    if (kind === "ambiguous") return this.ambiguous;
    if (kind !== "pod" || sample.kind !== "pod") return this.others;
    return groupAt(this.podsIn, sample.pod.namespace);
  }
}

const blocksAround = ({ blocks }: End): readonly string[] => (blocks === "" ? [] : blocks.split(","));

function groupAt(groups: Map<string, Set<End>>, key: string): Set<End> {
  const known = groups.get(key) ?? new Set();
  groups.set(key, known);
  return known;
}

/** Removes ends from a map. Returns those that were in it. */
export function removeAll(gone: ReadonlySet<End>, from: Map<End, unknown>): readonly End[] {
  const removed: End[] = [];
  const remove = (end: End) => {
    if (from.delete(end)) removed.push(end);
  };
  if (gone.size < from.size) for (const end of gone) remove(end);
  else for (const end of from.keys()) if (gone.has(end)) remove(end);
  return removed;
}
