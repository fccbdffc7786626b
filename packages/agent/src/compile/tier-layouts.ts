import type { NamedSet } from "../ruleset/ruleset.js";
import type { End } from "./ends.js";
import { type Identities, somebody } from "./identities.js";
import type { TierChain } from "./tier-chains.js";

/** A tier as the kernel has it. */
export interface TierLayout {
  readonly map: NamedSet;
  /** Of its chain; empty where the tier has nothing to say. */
  readonly rules: readonly string[];
}

interface Made {
  readonly identities: ReadonlyMap<End, string>;
  readonly turn: number;
  readonly common: Common;
  readonly layout: TierLayout;
}

/** The verdict that most of those have who are told apart, and how many that are. */
interface Common {
  readonly verdict: string;
  readonly count: number;
}

/**
 * Decides what stands in the map of a tier, and what is left to the rule behind it: whatever most ends get. That may be
 * what all pods get but not the rest of the world, and then the rest of the world stands in the map.
 */
export class TierLayouts {
  private readonly made = new WeakMap<TierChain, Made>();

  constructor(private readonly identities: Pick<Identities, "turn">) {}

  of(tier: TierChain, identities: ReadonlyMap<End, string>): TierLayout {
    const known = this.made.get(tier);
    if (known?.identities === identities) return known.layout;
    const { turn } = this.identities;
    const common = known?.common ?? mostCommon(tier.verdicts);
    const isTurned = isWorthTurning(common, tier, identities.size);
    // A map of exceptions is about nobody but them.
    const isSame = known?.turn === turn && !isTurned && !isWorthTurning(common, tier, known.identities.size);
    const layout = isSame ? known.layout : layOut(tier, identities, isTurned ? common.verdict : undefined);
    this.made.set(tier, { identities, turn, common, layout });
    return layout;
  }
}

/** `most`: left to the rule behind the map instead of what everybody else gets. */
function layOut(
  { map: name, verdicts, otherwise = "return" }: TierChain,
  identities: ReadonlyMap<End, string>,
  most: string = otherwise,
): TierLayout {
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

function mostCommon(verdicts: ReadonlyMap<End, string>): Common {
  const counts = new Map<string, number>();
  for (const verdict of verdicts.values()) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  let most: Common = { verdict: "", count: 0 };
  for (const [verdict, count] of counts)
    if (count > most.count || (count === most.count && verdict < most.verdict)) most = { verdict, count };
  return most;
}

/** Whether a map with everybody but the most common is much smaller; two stand for those without an identity of their own. */
const isWorthTurning = ({ count }: Common, { verdicts }: TierChain, ends: number): boolean =>
  (ends - count + 2) * 2 < verdicts.size;
