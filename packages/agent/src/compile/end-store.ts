import type { Endpoint, Family } from "@tierwall/core/model";
import type { End } from "./end.js";
import { Population } from "./population.js";

/** Ends by what they are: one for all addresses that no rule tells apart, for as long as some address has it. */
export class EndStore {
  readonly all = new Population();
  /** What the last update changed. */
  come = new Population();
  gone: ReadonlySet<End> = new Set();
  /** By who they are, and by the blocks around them. */
  private readonly known: Readonly<Record<End["kind"], Map<string, Map<string, End>>>> = {
    pod: new Map(),
    host: new Map(),
    external: new Map(),
    ambiguous: new Map(),
  };
  /** Those that this update retained or released, and whether they were there before it. */
  private readonly touched = new Map<End, boolean>();

  begin(): void {
    this.touched.clear();
  }

  /** `samples`: what such an end is; several where it is ambiguous. */
  retain(
    kind: End["kind"],
    who: string,
    blocks: string,
    service: string,
    family: Family,
    samples: () => readonly [Endpoint, ...Endpoint[]],
  ): End {
    let inBlocks = this.known[kind].get(who);
    if (inBlocks === undefined) this.known[kind].set(who, (inBlocks = new Map<string, End>()));
    let end = inBlocks.get(blocks);
    if (end === undefined) {
      end = {
        key: `${kind} ${who} in ${blocks}`,
        kind,
        who,
        family,
        blocks,
        service,
        sample: samples()[0],
        alternatives: [],
        members: 0,
      };
      inBlocks.set(blocks, end);
    }
    if (!this.touched.has(end)) this.touched.set(end, end.members > 0);
    if (end.members++ === 0) [end.sample, ...end.alternatives] = samples();
    return end;
  }

  release(end: End): void {
    if (!this.touched.has(end)) this.touched.set(end, end.members > 0);
    end.members--;
  }

  settle(): void {
    const come = new Population();
    const gone = new Set<End>();
    for (const [end, was] of this.touched)
      if (end.members > 0 && !was) {
        come.add(end);
        this.all.add(end);
      } else if (end.members === 0) {
        this.forget(end);
        this.all.delete(end);
        if (was) gone.add(end);
      }
    this.come = come;
    this.gone = gone;
  }

  private forget({ kind, who, blocks }: End): void {
    const inBlocks = this.known[kind].get(who);
    inBlocks?.delete(blocks);
    if (inBlocks?.size === 0) this.known[kind].delete(who);
  }
}
