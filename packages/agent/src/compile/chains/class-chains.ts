import type { Direction } from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";
import { exactMaps, localChain, rangesChain } from "../../ruleset/vocabulary.js";
import { hasLeft, leaveChain, unsettle } from "../../ruleset/walk-state.js";
import type { ChainStore } from "./chain-store.js";
import { allowing, type Ending, endingOf } from "./terminals.js";
import type { TierLayout } from "./tier-layouts.js";

/** The walk for one of the pods that share an address: `last` for the last of them, `first` for the others. */
interface SharedWalk {
  readonly first: string;
  readonly last: string;
}

/**
 * The chains that packets of some pods of this node pass in one direction, tier by tier. Calling a chain costs a new connection more
 * than a rule does. Maps have separate chains anyway: for each chain that uses a map, the kernel reads the whole map when rules are
 * loaded, and its verdicts whenever some change.
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
    return getOrInsert(this.known, key, () => this.compute(direction, walk, ending));
  }

  private compute(direction: Direction, walk: readonly TierLayout[], ending: Ending): string {
    const tiers = walk.filter(({ rules }) => rules.length > 0);
    // A packet that is allowed to leave returns for the next walk.
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
   * S1.17: all of these walks, one after the other: the last one ends as usual, the others lead to the next. Undefined if none of
   * them can deny.
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

  /** Determines the identity of the peer: the destination for egress, the source for ingress. */
  private identifying(direction: Direction): string {
    const [original, reply] =
      direction === "egress" ? (["daddr", "saddr"] as const) : (["saddr", "daddr"] as const);
    // S1.16: a packet without an output device is for the node, and one without an input device is from it.
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
