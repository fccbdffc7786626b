import type { Direction } from "@tierwall/core";
import { exactMaps, rangesChain } from "../ruleset/vocabulary.js";
import { hasLeft, leaveChain, unidentified } from "../ruleset/walk-state.js";
import type { ChainStore } from "./chain-store.js";
import { allowing } from "./terminals.js";
import { asJump, type TierLayout } from "./tier-layouts.js";

/** What packets of some pods of this node walk through in one direction, a tier after the other. */
export class ClassChains {
  constructor(private readonly chains: ChainStore) {}

  verdictFor(direction: Direction, walk: readonly TierLayout[]): string {
    const tiers = walk.filter(({ rules }) => rules.length > 0);
    // Who may leave comes back, for the destination to be asked.
    const isLeaving = direction === "egress";
    if (tiers.length === 0) return isLeaving ? `jump ${leaveChain}` : "goto stamp";
    const rules = tiers.flatMap((tier, i) => [
      ...(isLeaving && i > 0 ? [`${hasLeft} return`] : []),
      this.asking(tier),
    ]);
    const judging = [...rules, allowing({ direction })];
    const needsIdentity = tiers.some(({ rules }) => rules[0]!.startsWith("meta priority"));
    const chain = needsIdentity ? this.identifying(direction, judging) : judging;
    return `${isLeaving ? "jump" : "goto"} ${this.chains.add("class", chain)}`;
  }

  /** What a tier does is done right here where it can be: to call a chain costs more than most of its rules. */
  private asking({ rules }: TierLayout): string {
    const [only] = rules;
    return rules.length === 1 ? asJump(only!) : `jump ${this.chains.add("tier", rules)}`;
  }

  /** Finds out first who the other end is: the destination of what goes out, the source of what comes in. Nobody, to begin with. */
  private identifying(direction: Direction, judging: readonly string[]): readonly string[] {
    const [original, reply] =
      direction === "egress" ? (["daddr", "saddr"] as const) : (["saddr", "daddr"] as const);
    const replies = this.chains.add("class", [...lookups(reply), ...judging]);
    return [`ct direction 1 goto ${replies}`, ...lookups(original), ...judging];
  }
}

function lookups(side: "saddr" | "daddr"): readonly string[] {
  return [
    `meta priority set ip ${side} map @${exactMaps[4]}`,
    `meta priority set ip6 ${side} map @${exactMaps[6]}`,
    `meta priority ${unidentified} jump ${rangesChain[side]}`,
  ];
}
