import type { Endpoint } from "@tierwall/core/model";
import type { End } from "./end.js";
import { Population } from "./population.js";

/** What identifies an end, and its endpoints: several if it is ambiguous. */
export interface EndParts extends Pick<End, "kind" | "who" | "family" | "blocks"> {
  readonly service?: string;
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

  retain({ kind, who, family, blocks, service = "", samples }: EndParts): End {
    const ofWho = this.known.get(who) ?? new Map<string, End>();
    let end = ofWho.get(kind + blocks);
    if (end === undefined) {
      const key = `${kind} ${who} in ${blocks}`;
      const [sample] = samples();
      end = { key, kind, who, family, blocks, service, sample, alternatives: [], members: 0 };
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
