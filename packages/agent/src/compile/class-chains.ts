import type { Direction } from "@tierwall/core";
import { identityMaps } from "../ruleset/vocabulary.js";
import type { ChainStore } from "./chain-store.js";
import { allowing } from "./terminals.js";
import type { TierChain } from "./tier-chains.js";

/** What packets of some pods of this node walk through in one direction, a tier after the other. */
export class ClassChains {
  private readonly known = new WeakMap<readonly TierChain[], string>();

  constructor(private readonly chains: ChainStore) {}

  verdictFor(direction: Direction, walk: readonly TierChain[]): string {
    const known = this.known.get(walk) ?? this.compute(direction, walk);
    this.known.set(walk, known);
    return known;
  }

  private compute(direction: Direction, walk: readonly TierChain[]): string {
    const tiers = walk.filter(({ verdicts, otherwise }) => verdicts.size > 0 || otherwise !== undefined);
    const end = allowing({ direction });
    if (tiers.length === 0) return end;
    const jumps = tiers.map(({ map, verdicts, otherwise }) => {
      const lookup = verdicts.size > 0 ? [`meta priority vmap @${map}`] : [];
      return `jump ${this.chains.add("tier", [...lookup, ...(otherwise === undefined ? [] : [otherwise])])}`;
    });
    const needsIdentity = tiers.some(({ verdicts }) => verdicts.size > 0);
    const identify = needsIdentity ? [`jump ${this.identifying(direction)}`] : [];
    return `goto ${this.chains.add("class", [...identify, ...jumps, end])}`;
  }

  /** Finds out who the other end is: the destination of what goes out, the source of what comes in. */
  private identifying(direction: Direction): string {
    const [original, reply] =
      direction === "egress" ? (["daddr", "saddr"] as const) : (["saddr", "daddr"] as const);
    const replies = this.chains.add("identity", lookups(reply));
    return this.chains.add("identity", [`ct direction 1 goto ${replies}`, ...lookups(original)]);
  }
}

function lookups(side: "saddr" | "daddr"): readonly string[] {
  const { exact, ranges } = identityMaps;
  return [
    // The kernel has put something there when it forwarded the packet.
    "meta priority set none",
    `meta priority set ip ${side} map @${exact[4]}`,
    `meta priority set ip6 ${side} map @${exact[6]}`,
    `meta priority none meta priority set ip ${side} map @${ranges[4]}`,
    `meta priority none meta priority set ip6 ${side} map @${ranges[6]}`,
  ];
}
