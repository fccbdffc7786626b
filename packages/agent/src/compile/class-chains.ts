import type { Direction } from "@tierwall/core";
import { exactMaps, rangesChain } from "../ruleset/vocabulary.js";
import { hasLeft, unidentified } from "../ruleset/walk-state.js";
import type { ChainStore } from "./chain-store.js";
import { allowing } from "./terminals.js";
import type { TierLayout } from "./tier-layouts.js";

/** What packets of some pods of this node walk through in one direction, a tier after the other. */
export class ClassChains {
  constructor(private readonly chains: ChainStore) {}

  verdictFor(direction: Direction, walk: readonly TierLayout[]): string {
    const tiers = walk.filter(({ rules }) => rules.length > 0);
    const end = allowing({ direction });
    // Who may leave comes back, for the destination to be asked.
    const word = direction === "egress" ? "jump" : "goto";
    if (tiers.length === 0) return end.replace("goto", word);
    const needsIdentity = tiers.some(({ rules }) => rules[0]!.startsWith("meta priority"));
    const identify = needsIdentity ? [`jump ${this.identifying(direction)}`] : [];
    const jumps = tiers.flatMap(({ rules }, i) => {
      const isDecided = direction === "egress" && i > 0 ? [`${hasLeft} return`] : [];
      return [...isDecided, `jump ${this.chains.add("tier", rules)}`];
    });
    return `${word} ${this.chains.add("class", [...identify, ...jumps, end])}`;
  }

  /** Finds out who the other end is: the destination of what goes out, the source of what comes in. Nobody, to begin with. */
  private identifying(direction: Direction): string {
    const [original, reply] =
      direction === "egress" ? (["daddr", "saddr"] as const) : (["saddr", "daddr"] as const);
    const replies = this.chains.add("identity", lookups(reply));
    return this.chains.add("identity", [`ct direction 1 goto ${replies}`, ...lookups(original)]);
  }
}

function lookups(side: "saddr" | "daddr"): readonly string[] {
  return [
    `meta priority set ip ${side} map @${exactMaps[4]}`,
    `meta priority set ip6 ${side} map @${exactMaps[6]}`,
    `meta priority ${unidentified} goto ${rangesChain[side]}`,
  ];
}
