import type { NamedSet } from "../ruleset/ruleset.js";
import type { End } from "./ends.js";
import { somebody } from "./identities.js";
import type { TierChain } from "./tier-chains.js";

/** A tier as the kernel has it. */
export interface TierLayout {
  readonly map: NamedSet;
  /** Of its chain; empty where the tier has nothing to say. */
  readonly rules: readonly string[];
}

interface Made {
  readonly identities: ReadonlyMap<End, string>;
  readonly layout: TierLayout;
}

/**
 * Decides what stands in the map of a tier, and what is left to the rule behind it: whatever most ends get. That may be
 * what all pods get but not the rest of the world, and then the rest of the world stands in the map.
 */
export class TierLayouts {
  private readonly made = new WeakMap<TierChain, Made>();

  of(tier: TierChain, identities: ReadonlyMap<End, string>): TierLayout {
    const known = this.made.get(tier);
    if (known?.identities === identities) return known.layout;
    const layout = layOut(tier, identities);
    this.made.set(tier, { identities, layout });
    return layout;
  }
}

function layOut(
  { map: name, verdicts, otherwise = "return" }: TierChain,
  identities: ReadonlyMap<End, string>,
): TierLayout {
  const most = mostCommon(verdicts, otherwise, identities.size);
  const elements = new Map<string, string>();
  if (most === otherwise) for (const [end, verdict] of verdicts) elements.set(identities.get(end)!, verdict);
  else {
    elements.set("none", otherwise).set(somebody, otherwise);
    for (const [end, identity] of identities) {
      const verdict = verdicts.get(end) ?? otherwise;
      if (verdict !== most) elements.set(identity, verdict);
    }
  }
  return {
    map: { kind: "map", type: "classid : verdict", flags: [], elements },
    rules: [
      ...(elements.size > 0 ? [`meta priority vmap @${name}`] : []),
      ...(most === "return" ? [] : [most]),
    ],
  };
}

/** What everybody else gets, unless a map with the others is much smaller: then what is not in it must be in there. */
function mostCommon(verdicts: ReadonlyMap<End, string>, otherwise: string, ends: number): string {
  const counts = new Map<string, number>();
  for (const verdict of verdicts.values()) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  let [most, count] = ["", 0];
  for (const [verdict, own] of counts)
    if (own > count || (own === count && verdict < most)) [most, count] = [verdict, own];
  const otherSize = ends - count + 2;
  return otherSize * 2 < verdicts.size ? most : otherwise;
}
