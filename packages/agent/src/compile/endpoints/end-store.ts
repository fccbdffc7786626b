import { type Cidr, type Endpoint, type Family, formatCidr } from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";

/** Addresses that no rule can distinguish as a peer. They share one identity. */
export interface End {
  readonly key: string;
  /** `ambiguous`: it can be one of several endpoints, and it is unknown which (S1.16, S1.17). */
  readonly kind: "pod" | "host" | "external" | "ambiguous";
  /** All properties of a pod or a host that rules use, except its addresses, and the Services of which it is a backend. */
  readonly who: string;
  readonly family: Family;
  /** The blocks that contain its addresses. */
  readonly blocks: string;
  /** One of its endpoints. It may have been removed, but rules do not distinguish the remaining ones from it. */
  sample: Endpoint;
  /** The other endpoints of an ambiguous end; empty for all others. */
  alternatives: readonly Endpoint[];
  members: number;
}

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
    for (const block of blocksAround(end)) getOrInsert(this.inBlock, block, () => new Set()).add(end);
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
    return getOrInsert(this.podsIn, sample.pod.namespace, () => new Set());
  }
}

const blocksAround = ({ blocks }: End): readonly string[] => (blocks === "" ? [] : blocks.split(","));

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

/** What identifies an end, and its endpoints: several if it is ambiguous. */
export interface EndParts extends Pick<End, "kind" | "who" | "family" | "blocks"> {
  readonly samples: () => readonly [Endpoint, ...Endpoint[]];
}

/** The ends: one for all addresses that no rule distinguishes, for as long as there is such an address. */
export class EndStore {
  readonly all = new Population();
  /** What the last update changed. */
  come = new Population();
  gone: ReadonlySet<End> = new Set();
  /** By `who`, then by kind and blocks: a lookup is cheaper than building the key. */
  private readonly known = new Map<string, Map<string, End>>();
  /** The ends that this update retained or released, and whether they existed before it. */
  private readonly touched = new Map<End, boolean>();

  begin(): void {
    this.touched.clear();
  }

  retain({ kind, who, family, blocks, samples }: EndParts): End {
    const ofWho = this.known.get(who) ?? new Map<string, End>();
    let end = ofWho.get(kind + blocks);
    if (end === undefined) {
      const key = `${kind} ${who} in ${blocks}`;
      const [sample] = samples();
      end = { key, kind, who, family, blocks, sample, alternatives: [], members: 0 };
      this.known.set(who, ofWho.set(kind + blocks, end));
    }
    this.touch(end);
    if (end.members++ === 0) [end.sample, ...end.alternatives] = samples();
    return end;
  }

  release(end: End): void {
    this.touch(end);
    end.members--;
  }

  settle(): void {
    this.come = new Population();
    const gone = new Set<End>();
    for (const [end, was] of this.touched)
      if (end.members > 0 && !was) {
        this.come.add(end);
        this.all.add(end);
      } else if (end.members === 0) {
        this.forget(end);
        this.all.delete(end);
        if (was) gone.add(end);
      }
    this.gone = gone;
  }

  private forget({ kind, who, blocks }: End): void {
    const ofWho = this.known.get(who);
    ofWho?.delete(kind + blocks);
    if (ofWho?.size === 0) this.known.delete(who);
  }

  private touch(end: End): void {
    if (!this.touched.has(end)) this.touched.set(end, end.members > 0);
  }
}
