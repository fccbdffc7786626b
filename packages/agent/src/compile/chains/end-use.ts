import type { End } from "../endpoints/end.js";
import type { TierChain } from "./tier-chains.js";

/** Counts the ends that some tier distinguishes. */
export class EndUse {
  private tiers: ReadonlySet<TierChain> = new Set();
  private readonly uses = new Map<End, number>();
  private ends: ReadonlySet<End> = new Set();

  /** Returns the same object while its contents stay the same. */
  update(tiers: ReadonlySet<TierChain>): ReadonlySet<End> {
    let isSame = true;
    const count = (end: End, by: 1 | -1) => {
      const before = this.uses.get(end) ?? 0;
      if (before + by === 0) this.uses.delete(end);
      else this.uses.set(end, before + by);
      if (before === 0 || before + by === 0) isSame = false;
    };
    const grown = new Set<TierChain>();
    for (const tier of tiers) {
      if (this.tiers.has(tier)) continue;
      const from = tier.grown?.from.deref();
      if (from === undefined || tiers.has(from) || !this.tiers.has(from))
        for (const end of tier.verdicts.keys()) count(end, 1);
      else {
        grown.add(from);
        for (const end of tier.grown!.changed) {
          const [was, is] = [from.verdicts.has(end), tier.verdicts.has(end)];
          if (was !== is) count(end, is ? 1 : -1);
        }
      }
    }
    for (const tier of this.tiers)
      if (!tiers.has(tier) && !grown.has(tier)) for (const end of tier.verdicts.keys()) count(end, -1);
    this.tiers = tiers;
    if (!isSame) this.ends = new Set(this.uses.keys());
    return this.ends;
  }
}
