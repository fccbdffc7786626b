import type { End } from "./ends.js";
import type { TierChain } from "./tier-chains.js";

/** Keeps count of the ends that some tier tells from others. */
export class EndUse {
  private tiers: ReadonlySet<TierChain> = new Set();
  private readonly uses = new Map<End, number>();
  private ends: ReadonlySet<End> = new Set();

  /** The same set as long as it holds the same. */
  update(tiers: ReadonlySet<TierChain>): ReadonlySet<End> {
    let isSame = true;
    for (const tier of tiers)
      if (!this.tiers.has(tier))
        for (const end of tier.verdicts.keys()) {
          const count = this.uses.get(end) ?? 0;
          this.uses.set(end, count + 1);
          if (count === 0) isSame = false;
        }
    for (const tier of this.tiers)
      if (!tiers.has(tier))
        for (const end of tier.verdicts.keys()) {
          const count = this.uses.get(end)!;
          if (count > 1) this.uses.set(end, count - 1);
          else {
            this.uses.delete(end);
            isSame = false;
          }
        }
    this.tiers = tiers;
    if (!isSame) this.ends = new Set(this.uses.keys());
    return this.ends;
  }
}
