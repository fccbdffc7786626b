import type { Direction } from "@tierwall/core/model";
import { exactMaps, localChain, rangesChain } from "../../ruleset/vocabulary.js";
import { hasLeft, leaveChain, unsettle } from "../../ruleset/walk-state.js";
import type { ChainStore } from "./chain-store.js";
import { allowing, type Ending, endingOf } from "./terminals.js";
import type { TierLayout } from "./tier-layouts.js";

/** How a packet is walked for one of the pods that share an address, if it is the last of them and if it is not. */
interface SharedWalk {
  readonly first: string;
  readonly last: string;
}

/**
 * What packets of some pods of this node walk through in one direction, a tier after the other. To call a chain costs a new
 * connection more than a rule does. Maps have chains of their own all the same: for each chain that looks into a map, the kernel goes
 * through all of it when rules are loaded, and through its verdicts whenever some change.
 */
export class ClassChains {
  private readonly known = new Map<string, string>();

  constructor(private readonly chains: ChainStore) {}

  verdictFor(
    direction: Direction,
    walk: readonly TierLayout[],
    ending: Ending = endingOf({ direction }),
  ): string {
    const key = `${direction} ${ending} ${walk.map(({ rules }) => rules.join("\n")).join("\n\n")}`;
    const verdict = this.known.get(key) ?? this.compute(direction, walk, ending);
    this.known.set(key, verdict);
    return verdict;
  }

  private compute(direction: Direction, walk: readonly TierLayout[], ending: Ending): string {
    const tiers = walk.filter(({ rules }) => rules.length > 0);
    // A packet that may leave comes back, for another walk.
    const isLeaving = ending === "leave";
    if (tiers.length === 0) return isLeaving ? `jump ${leaveChain}` : "goto stamp";
    const needsIdentity = tiers.some(({ rules }) => rules[0]!.startsWith("meta priority"));
    const chain = [
      ...(needsIdentity ? [`jump ${this.identifying(direction)}`] : []),
      ...tiers.flatMap((tier, i) => [
        ...(isLeaving && i > 0 ? [`${hasLeft} return`] : []),
        this.asking(tier),
      ]),
      allowing(ending),
    ];
    return `${isLeaving ? "jump" : "goto"} ${this.chains.add("class", chain)}`;
  }

  /**
   * S1.17: all of these walks, one after the other: the last ends as usual, and those before it lead to the next one. Undefined where
   * none of them can deny.
   */
  inTurn(walks: readonly SharedWalk[]): string | undefined {
    const open = [`jump ${leaveChain}`, "goto stamp"];
    const closed = walks.filter(({ last }) => !open.includes(last));
    const distinct = closed.filter(({ last }, i) => closed.findIndex((other) => other.last === last) === i);
    const [only] = distinct;
    if (only === undefined || distinct.length === 1) return only?.last;
    const rules = distinct.flatMap(({ first, last }, i) =>
      i === distinct.length - 1 ? [last] : [first, unsettle],
    );
    const chain = this.chains.add("shared", rules);
    return `${only.last.startsWith("jump ") ? "jump" : "goto"} ${chain}`;
  }

  private asking({ rules: [first, ...rest] }: TierLayout): string {
    const isPlain = rest.length === 0 && first!.startsWith("goto ");
    return isPlain ? first!.replace("goto", "jump") : `jump ${this.chains.add("tier", [first!, ...rest])}`;
  }

  /** Finds out who the other end is: the destination of what goes out, the source of what comes in. Unknown, to begin with. */
  private identifying(direction: Direction): string {
    const [original, reply] =
      direction === "egress" ? (["daddr", "saddr"] as const) : (["saddr", "daddr"] as const);
    // S1.16: a pod sends to its node where a packet does not go out again, and its node answers where it did not come in.
    const toNode = direction === "egress" ? [`oif 0 goto ${localChain[original]}`] : [];
    const fromNode = direction === "egress" ? [`iif 0 goto ${localChain[reply]}`] : [];
    const replies = this.chains.add("identity", [...fromNode, ...lookups(reply)]);
    return this.chains.add("identity", [`ct direction 1 goto ${replies}`, ...toNode, ...lookups(original)]);
  }
}

function lookups(side: "saddr" | "daddr"): readonly string[] {
  return [
    `meta priority set ip ${side} map @${exactMaps[4]} return`,
    `meta priority set ip6 ${side} map @${exactMaps[6]} return`,
    `goto ${rangesChain[side]}`,
  ];
}
