import { generationBits, hex, isNotCut, isStamped, markField, setMark } from "./connection-mark.js";
import { baseChain, neighbours, type Place } from "./hooks.js";
import { isOpen, openFrame } from "./open-node.js";
import { presentSets, whilePresent } from "./set-change.js";
import type { NodeOptions, NodeProgram } from "./program.js";
import { type Chain, chainsOf, type NamedSet, type RulesByChain, type Ruleset } from "./ruleset.js";
import {
  findsForged,
  forgedChain,
  forgedRules,
  fromLink,
  fromLinkToNode,
  deniesUnknownPods,
  linkLocal,
  mayBeLinkLocal,
  type Side,
  unknownPodChains,
  watchedRanges,
} from "./unknown-pods.js";
import { cutCounter, localChain, podMaps, rangesChain, unknownCounter } from "./vocabulary.js";
import {
  hasNotLeft,
  isSettled,
  leaveChain,
  mayLeave,
  nowIs,
  nowSet,
  outdatedChain,
  markSettled,
  unlessSameRules,
  unsettle,
} from "./walk-state.js";

/** What other parts of the agent add to the table. */
export interface Additions {
  /** Rules that decide about packets to the node before pods are judged. */
  readonly beforeInput?: readonly string[];
  /** The same for packets from the node; used only if a rule applies to the node itself. */
  readonly beforeOutput?: readonly string[];
  readonly extra?: Ruleset;
}

/*
 * The table around a program: where packets enter, which of them are judged, and what is remembered.
 *
 *   forward ─► walk of the source ─► walk of the destination ─► stamp
 *   input   ─► walk of the source ─► stamp
 *   output  ─► rules that apply to the node itself; replies to pods ─► stamp
 *
 * A connection that the current generation judged is accepted or dropped by its mark. All others are judged, including those that
 * were established under other rules: for replies, source and destination are swapped, so that the same rules apply. After each
 * base chain there is another, `…_again`, for packets during whose evaluation the rules changed (walk-state.ts). It is empty while
 * they do not change (hooks.ts). If no rule applies to a pod, there is nothing to judge (open-node.ts).
 */
export function frame(
  program: NodeProgram,
  options: NodeOptions,
  generation: number,
  additions: Additions = {},
  place: Place = "first",
): Ruleset {
  if (isOpen(program)) return openFrame(program, options, place);
  const { extra } = additions;
  const { chains, sets, counters } = program.ruleset;
  const parts = new Frame(program, options, generation);
  const denied = (["egress", "ingress"] as const).flatMap((direction) =>
    parts.deniesLinkLocal(direction) ? [unknownCounter[direction]] : [],
  );
  return {
    chains: new Map([
      ...chains,
      ...chainsOf({
        ...parts.ranges(),
        ...parts.endings(),
        ...parts.walks(additions),
        ...parts.unknownSources(),
        ...parts.unknownPods(denied),
      }),
      ...parts.baseChains(place),
      ...(extra?.chains ?? []),
    ]),
    sets: new Map([
      ...sets,
      [nowSet, nowElement(generation)],
      ...(deniesUnknownPods(options) ? presentSets(options) : []),
      ...(extra?.sets ?? []),
    ]),
    counters: new Set([...counters, cutCounter, ...denied, ...(extra?.counters ?? [])]),
  };
}

function nowElement(generation: number): NamedSet {
  const elements = new Map([[nowIs(generation), ""]]);
  return { kind: "set", type: "mark", flags: [], size: 4, elements };
}

const unknownSourceChain = { saddr: "unknown_saddr", daddr: "unknown_daddr" } as const;
const linkChain = { forward: "link_saddr", input: "link_to_node" } as const;

/** The rules of chains by name, for one program and generation. */
class Frame {
  private readonly mask: number;
  private readonly current: number;
  /** The verdict in the mark of a connection that this generation judged. */
  private readonly memory: { readonly allowed: readonly string[]; readonly cut: readonly string[] };

  constructor(
    private readonly program: NodeProgram,
    private readonly options: NodeOptions,
    private readonly generation: number,
  ) {
    this.mask = options.connectionMask;
    this.current = generationBits(this.mask, generation);
    const { judged, denied } = markField(this.mask);
    // S1.5: errors about a connection have its mark, so they are accepted or dropped with it. Before this generation has judged a
    // packet of it, there is nothing to report; an error that is sent anyway is judged as a packet of its sender.
    const marked = (bits: number, verdict: string) =>
      isStamped(this.mask, generation) ? [`ct mark & ${hex(judged)} == ${hex(bits)} ${verdict}`] : [];
    this.memory = { allowed: marked(this.current, "accept"), cut: marked(this.current | denied, "drop") };
  }

  /** The identity of the peer, if it is neither a pod nor a node, or if it is this node itself. */
  ranges(): RulesByChain {
    const { ranges, local } = this.program;
    const lookup = (side: Side, maps: NodeProgram["ranges"]) => [
      `meta priority set ip ${side} map @${maps[4]}`,
      `meta priority set ip6 ${side} map @${maps[6]}`,
    ];
    return {
      [rangesChain.saddr]: lookup("saddr", ranges),
      [localChain.saddr]: lookup("saddr", local),
      [rangesChain.daddr]: lookup("daddr", ranges),
      [localChain.daddr]: lookup("daddr", local),
    };
  }

  /** The chains in which evaluations end. */
  endings(): RulesByChain {
    const { mask, current, options, generation } = this;
    const { judged, denied } = markField(mask);
    const unlessSame = unlessSameRules(generation);
    const deny =
      options.deny === "drop" ? ["drop"] : ["meta l4proto 6 reject with tcp reset", "reject with icmpx 3"];
    return {
      [leaveChain]: [mayLeave],
      stamp: [unlessSame, `${markSettled} ${setMark(judged, current)}`, "accept"],
      // No verdict: every further step of this evaluation also leads here, and the packet continues after the base chain.
      [outdatedChain]: [unsettle],
      // A new connection that is dropped is not tracked; an established one is marked as cut.
      ...(isStamped(mask, generation)
        ? {
            deny: [unlessSame, "ct state 0x2 goto cut", ...deny],
            cut: [
              `${isNotCut(mask)} counter name "${cutCounter}"`,
              setMark(mask, (current | denied) >>> 0),
              ...deny,
            ],
          }
        : { deny: [unlessSame, ...deny] }),
    };
  }

  baseChains(place: Place): readonly (readonly [string, Chain])[] {
    const { allowed } = this.memory;
    const again = (hook: "forward" | "input" | "output", walk: string, before: readonly string[] = []) =>
      baseChain(hook, place, [...before, `${isSettled} accept`, `jump ${walk}`, "drop"], "again");
    // Errors, and the reset that reports a denial to the client.
    const notOfPods = ['oifname "lo" accept', "ct state 0x4 accept"];
    const own = this.ownNode("daddr").length > 0;
    return [
      // Nearly all packets are accepted by the first rule. New connections are evaluated directly in this chain: each chain that is
      // not called, and each rule that is left out, increases their rate.
      baseChain("forward", place, [
        ...allowed,
        "ct state != 0x8 goto not_new",
        ...this.forget(),
        ...this.between("saddr", "daddr"),
      ]),
      again("forward", "forwarded"),
      baseChain("input", place, ['iifname "lo" accept', "goto to_node"]),
      again("input", "to_node"),
      ...(own || this.judges("egress")
        ? [
            baseChain("output", place, [...notOfPods, "goto from_node"]),
            // Packets of the node itself keep their priority, so it does not show whether the rules were changing.
            again("output", "from_node", [
              ...notOfPods,
              ...allowed,
              ...(own ? ["ct direction 0 jump from_node_own"] : []),
            ]),
          ]
        : []),
    ];
  }

  walks({ beforeInput = [], beforeOutput = [] }: Additions): RulesByChain {
    const { allowed, cut } = this.memory;
    const own = this.ownNode("daddr");
    const forges = findsForged(this.options);
    return {
      not_new: [...cut, neighbours, "goto forwarded"],
      forwarded: [...this.forget(), "ct direction 1 goto forwarded_reply", ...this.between("saddr", "daddr")],
      forwarded_reply: this.between("daddr", "saddr"),
      to_node: [
        ...beforeInput,
        // S1.16: a broadcast on a bridge was also forwarded to others there, and that verdict is not about the node.
        ...allowed.map((rule) => rule.replace(/accept$/, "meta pkttype 0 accept")),
        ...cut,
        neighbours,
        unsettle,
        "ct direction 1 goto to_node_reply",
        ...this.forget(),
        ...podsIn("egress", "saddr"),
        ...this.unknown("egress", "saddr").map((rule) => `${hasNotLeft} ${rule}`),
        ...(this.deniesLinkLocal("egress")
          ? [`${hasNotLeft} ${mayBeLinkLocal("saddr")} jump ${linkChain.input}`]
          : []),
        ...(forges ? [`${hasNotLeft} jump ${forgedChain}`] : []),
        "goto stamp",
      ],
      // Replies to connections of the node itself: allowed (S1.6), unless a rule applies to the node (S7.8).
      to_node_reply: [...this.ownNode("saddr"), markSettled, "accept"],
      from_node: [...beforeOutput, ...allowed, ...cut, "ct direction 1 goto from_node_reply", ...own],
      // A connection of a pod to the node is judged where it enters, and here if only the node still sends packets.
      from_node_reply: [unsettle, ...podsIn("egress", "daddr"), "goto stamp"],
      ...(own.length > 0 ? { from_node_own: own } : {}),
      ...(forges ? { [forgedChain]: forgedRules } : {}),
    };
  }

  /** For source addresses that are not known pods. */
  unknownSources(): RulesByChain {
    if (!this.deniesLinkLocal("egress")) return {};
    const isJudged = this.judges("egress");
    return {
      [unknownSourceChain.saddr]: [
        ...this.unknown("egress", "saddr"),
        `${mayBeLinkLocal("saddr")} jump ${linkChain.forward}`,
        // Only for the original direction: a reply arrives through another device.
        ...(findsForged(this.options) ? [`goto ${forgedChain}`] : []),
      ],
      [unknownSourceChain.daddr]: [...this.unknown("egress", "daddr"), linkLocal("egress", "daddr")],
      [linkChain.forward]: fromLink(isJudged),
      [linkChain.input]: fromLinkToNode(isJudged),
    };
  }

  /** For unknown pods and for addresses that belong to no pod. */
  unknownPods(denied: readonly string[]): RulesByChain {
    const drop = [unlessSameRules(this.generation), "drop"];
    const chains = unknownPodChains(this.options, { drop, watch: [markSettled, "accept"] });
    return Object.fromEntries(Object.entries(chains).filter(([name]) => denied.includes(name)));
  }

  /** Whether link-local addresses are denied: with unknown pods, and where they would evade policies. */
  deniesLinkLocal(direction: "egress" | "ingress"): boolean {
    return deniesUnknownPods(this.options) || this.judges(direction);
  }

  /** Clears the bit `byName`, which is set again if a name still allows the connection. */
  private forget(): readonly string[] {
    const { byName } = markField(this.mask);
    return this.program.names.length === 0
      ? []
      : [`ct mark & ${hex(byName)} == ${hex(byName)} ct mark set ct mark & ${hex(~byName)}`];
  }

  /** Evaluates both endpoints. */
  private between(source: Side, destination: Side): readonly string[] {
    // The first lookup of a walk resets its state.
    const begin = ([four, six]: readonly [string, string]) => [`${unsettle} ${four}`, six];
    return [
      ...begin(podsIn("egress", source)),
      ...(this.deniesLinkLocal("egress") ? [`${hasNotLeft} jump ${unknownSourceChain[source]}`] : []),
      ...begin(podsIn("ingress", destination)),
      ...this.unknown("ingress", destination),
      ...(this.deniesLinkLocal("ingress") ? [linkLocal("ingress", destination)] : []),
      "goto stamp",
    ];
  }

  private unknown(direction: "egress" | "ingress", side: Side): readonly string[] {
    return watchedRanges(this.options).map(
      ({ ip, range }) =>
        `${ip} ${side} ${range} ${whilePresent(this.options)}goto ${unknownCounter[direction]}`,
    );
  }

  /** The lookups of rules that apply to the node itself. */
  private ownNode(side: Side): readonly string[] {
    return ([4, 6] as const).flatMap((family) =>
      this.program.ruleset.sets.has(podMaps.ownNode[family])
        ? [`${family === 4 ? "ip" : "ip6"} ${side} vmap @${podMaps.ownNode[family]}`]
        : [],
    );
  }

  /** Whether rules can deny a pod something in this direction. */
  private judges(direction: "egress" | "ingress"): boolean {
    return ([4, 6] as const).some((family) => {
      const elements = this.program.ruleset.sets.get(podMaps[direction][family])?.elements;
      return (
        elements !== undefined &&
        elements !== "learned" &&
        [...elements.values()].some((verdict) => verdict !== letsAllThrough[direction])
      );
    });
  }
}

const podsIn = (direction: "egress" | "ingress", side: Side): readonly [string, string] => [
  `ip ${side} vmap @${podMaps[direction][4]}`,
  `ip6 ${side} vmap @${podMaps[direction][6]}`,
];

const letsAllThrough = { egress: `jump ${leaveChain}`, ingress: "goto stamp" } as const;
