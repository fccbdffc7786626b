import { generationBits, hex, isNotCut, isStamped, markField, setMark } from "./connection-mark.js";
import { baseChain, neighbours, type Place } from "./hooks.js";
import { isOpen, openFrame } from "./open-node.js";
import { presentSets, whilePresent } from "./set-change.js";
import type { NodeOptions, NodeProgram } from "./program.js";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";
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
  const unknown = unknownPods(program, options, generation);
  return {
    chains: new Map([
      ...chains,
      ...ranges(program),
      ...endings(options, generation),
      ...walks(program, options, generation, additions),
      ...baseChains(program, options, generation, place),
      ...unknown.chains,
      ...(extra?.chains ?? []),
    ]),
    sets: new Map([...sets, [nowSet, nowElement(generation)], ...unknown.sets, ...(extra?.sets ?? [])]),
    counters: new Set([...counters, cutCounter, ...unknown.counters, ...(extra?.counters ?? [])]),
  };
}

function nowElement(generation: number): NamedSet {
  const elements = new Map([[nowIs(generation), ""]]);
  return { kind: "set", type: "mark", flags: [], size: 4, elements };
}

type NamedChain = readonly [string, Chain];

/** The identity of the peer, if it is neither a pod nor a node, or if it is this node itself. */
function ranges({ ranges: others, local }: NodeProgram): readonly NamedChain[] {
  const lookingInto = (chain: string, side: Side, maps: NodeProgram["ranges"]): NamedChain => [
    chain,
    {
      rules: [
        `meta priority set ip ${side} map @${maps[4]}`,
        `meta priority set ip6 ${side} map @${maps[6]}`,
      ],
    },
  ];
  return (["saddr", "daddr"] as const).flatMap((side) => [
    lookingInto(rangesChain[side], side, others),
    lookingInto(localChain[side], side, local),
  ]);
}

/** The chains in which evaluations end. */
function endings(options: NodeOptions, generation: number): readonly NamedChain[] {
  const mask = options.connectionMask;
  const { judged, denied } = markField(mask);
  const current = generationBits(mask, generation);
  const unlessSame = unlessSameRules(generation);
  const deny =
    options.deny === "drop" ? ["drop"] : ["meta l4proto 6 reject with tcp reset", "reject with icmpx 3"];
  return [
    [leaveChain, { rules: [mayLeave] }],
    ["stamp", { rules: [unlessSame, `${markSettled} ${setMark(judged, current)}`, "accept"] }],
    // A new connection that is dropped is not tracked; an established one is marked as cut.
    ...(isStamped(mask, generation)
      ? ([
          ["deny", { rules: [unlessSame, "ct state 0x2 goto cut", ...deny] }],
          [
            "cut",
            {
              rules: [
                `${isNotCut(mask)} counter name "${cutCounter}"`,
                setMark(mask, (current | denied) >>> 0),
                ...deny,
              ],
            },
          ],
        ] as const)
      : ([["deny", { rules: [unlessSame, ...deny] }]] as const)),
    // No verdict: every further step of this evaluation also leads here, and the packet continues after the base chain.
    [outdatedChain, { rules: [unsettle] }],
  ];
}

/** The verdict in the mark of a connection that this generation judged. */
function memory({ connectionMask: mask }: NodeOptions, generation: number) {
  if (!isStamped(mask, generation)) return { allowed: [], cut: [] };
  const { judged, denied } = markField(mask);
  const current = generationBits(mask, generation);
  // S1.5: errors about a connection have its mark, so they are accepted or dropped with it. Before this generation has judged a
  // packet of it, there is nothing to report; an error that is sent anyway is judged as a packet of its sender.
  return {
    allowed: [`ct mark & ${hex(judged)} == ${hex(current)} accept`],
    cut: [`ct mark & ${hex(judged)} == ${hex(current | denied)} drop`],
  };
}

function baseChains(
  program: NodeProgram,
  options: NodeOptions,
  generation: number,
  place: Place,
): readonly NamedChain[] {
  const { allowed, cut } = memory(options, generation);
  const again = (
    hook: "forward" | "input" | "output",
    walk: string,
    before: readonly string[] = [],
  ): NamedChain =>
    baseChain(hook, place, [...before, `${isSettled} accept`, `jump ${walk}`, "drop"], "again");
  // Errors, and the reset that reports a denial to the client.
  const notOfPods = ['oifname "lo" accept', "ct state 0x4 accept"];
  const own = ownNode(program, "daddr").length > 0;
  return [
    // Nearly all packets are accepted by the first rule. New connections are evaluated directly in this chain: each chain that is
    // not called, and each rule that is left out, increases their rate.
    baseChain("forward", place, [
      ...allowed,
      "ct state != 0x8 goto not_new",
      ...forget(program, options),
      ...between(program, options, "saddr", "daddr"),
    ]),
    ["not_new", { rules: [...cut, neighbours, "goto forwarded"] }],
    again("forward", "forwarded"),
    baseChain("input", place, ['iifname "lo" accept', "goto to_node"]),
    again("input", "to_node"),
    ...(own || judges(program, "egress")
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

function walks(
  program: NodeProgram,
  options: NodeOptions,
  generation: number,
  { beforeInput = [], beforeOutput = [] }: Additions,
): readonly NamedChain[] {
  const { allowed, cut } = memory(options, generation);
  const own = ownNode(program, "daddr");
  return [
    [
      "forwarded",
      {
        rules: [
          ...forget(program, options),
          "ct direction 1 goto forwarded_reply",
          ...between(program, options, "saddr", "daddr"),
        ],
      },
    ],
    ["forwarded_reply", { rules: between(program, options, "daddr", "saddr") }],
    ...(deniesLinkLocal(program, options, "egress") ? unknownSources(program, options) : []),
    ...(findsForged(options) ? [[forgedChain, { rules: forgedRules }] as const] : []),
    [
      "to_node",
      {
        rules: [
          ...beforeInput,
          // S1.16: a broadcast on a bridge was also forwarded to others there, and that verdict is not about the node.
          ...allowed.map((rule) => rule.replace(/accept$/, "meta pkttype 0 accept")),
          ...cut,
          neighbours,
          unsettle,
          "ct direction 1 goto to_node_reply",
          ...forget(program, options),
          ...podsIn("egress", "saddr"),
          ...unknown(options, "egress", "saddr").map((rule) => `${hasNotLeft} ${rule}`),
          ...(deniesLinkLocal(program, options, "egress")
            ? [`${hasNotLeft} ${mayBeLinkLocal("saddr")} jump ${linkChain.input}`]
            : []),
          ...(findsForged(options) ? [`${hasNotLeft} jump ${forgedChain}`] : []),
          "goto stamp",
        ],
      },
    ],
    // Replies to connections of the node itself: allowed (S1.6), unless a rule applies to the node (S7.8).
    ["to_node_reply", { rules: [...ownNode(program, "saddr"), markSettled, "accept"] }],
    [
      "from_node",
      { rules: [...beforeOutput, ...allowed, ...cut, "ct direction 1 goto from_node_reply", ...own] },
    ],
    // A connection of a pod to the node is judged where it enters, and here if only the node still sends packets.
    ["from_node_reply", { rules: [unsettle, ...podsIn("egress", "daddr"), "goto stamp"] }],
    ...(own.length > 0 ? [["from_node_own", { rules: own }] as const] : []),
  ];
}

/** Clears the bit `byName`, which is set again if a name still allows the connection. */
function forget({ names }: NodeProgram, { connectionMask }: NodeOptions): readonly string[] {
  const { byName } = markField(connectionMask);
  return names.length === 0
    ? []
    : [`ct mark & ${hex(byName)} == ${hex(byName)} ct mark set ct mark & ${hex(~byName)}`];
}

/** Evaluates both endpoints. */
function between(
  program: NodeProgram,
  options: NodeOptions,
  source: Side,
  destination: Side,
): readonly string[] {
  // The first lookup of a walk resets its state.
  const begin = ([four, six]: readonly [string, string]) => [`${unsettle} ${four}`, six];
  return [
    ...begin(podsIn("egress", source)),
    ...(deniesLinkLocal(program, options, "egress")
      ? [`${hasNotLeft} jump ${unknownSourceChain[source]}`]
      : []),
    ...begin(podsIn("ingress", destination)),
    ...unknown(options, "ingress", destination),
    ...(deniesLinkLocal(program, options, "ingress") ? [linkLocal("ingress", destination)] : []),
    "goto stamp",
  ];
}

const unknownSourceChain = { saddr: "unknown_saddr", daddr: "unknown_daddr" } as const;
const linkChain = { forward: "link_saddr", input: "link_to_node" } as const;

/** For source addresses that are not known pods. */
function unknownSources(program: NodeProgram, options: NodeOptions): readonly NamedChain[] {
  const isJudged = judges(program, "egress");
  return [
    [
      unknownSourceChain.saddr,
      {
        rules: [
          ...unknown(options, "egress", "saddr"),
          `${mayBeLinkLocal("saddr")} jump ${linkChain.forward}`,
          // Only for the original direction: a reply arrives through another device.
          ...(findsForged(options) ? [`goto ${forgedChain}`] : []),
        ],
      },
    ],
    [
      unknownSourceChain.daddr,
      { rules: [...unknown(options, "egress", "daddr"), linkLocal("egress", "daddr")] },
    ],
    [linkChain.forward, { rules: fromLink(isJudged) }],
    [linkChain.input, { rules: fromLinkToNode(isJudged) }],
  ];
}

const unknown = (options: NodeOptions, direction: "egress" | "ingress", side: Side): readonly string[] =>
  watchedRanges(options).map(
    ({ ip, range }) => `${ip} ${side} ${range} ${whilePresent(options)}goto ${unknownCounter[direction]}`,
  );

/** Whether link-local addresses are denied: with unknown pods, and where they would evade policies. */
const deniesLinkLocal = (
  program: NodeProgram,
  options: NodeOptions,
  direction: "egress" | "ingress",
): boolean => deniesUnknownPods(options) || judges(program, direction);

const podsIn = (direction: "egress" | "ingress", side: Side): readonly [string, string] => [
  `ip ${side} vmap @${podMaps[direction][4]}`,
  `ip6 ${side} vmap @${podMaps[direction][6]}`,
];

/** The lookups of rules that apply to the node itself. */
function ownNode({ ruleset }: NodeProgram, side: Side): readonly string[] {
  return ([4, 6] as const).flatMap((family) =>
    ruleset.sets.has(podMaps.ownNode[family])
      ? [`${family === 4 ? "ip" : "ip6"} ${side} vmap @${podMaps.ownNode[family]}`]
      : [],
  );
}

const letsAllThrough = { egress: `jump ${leaveChain}`, ingress: "goto stamp" } as const;

/** Whether rules can deny a pod something in this direction. */
function judges({ ruleset }: NodeProgram, direction: "egress" | "ingress"): boolean {
  return ([4, 6] as const).some((family) => {
    const elements = ruleset.sets.get(podMaps[direction][family])?.elements;
    return (
      elements !== undefined &&
      elements !== "learned" &&
      [...elements.values()].some((verdict) => verdict !== letsAllThrough[direction])
    );
  });
}

/** The chains, sets and counters for unknown pods and for addresses that belong to no pod. */
function unknownPods(program: NodeProgram, options: NodeOptions, generation: number) {
  const denied = (["egress", "ingress"] as const).flatMap((direction) =>
    deniesLinkLocal(program, options, direction) ? [unknownCounter[direction]] : [],
  );
  const drop = [unlessSameRules(generation), "drop"];
  const chains = unknownPodChains(options, { drop, watch: [markSettled, "accept"] });
  return {
    counters: denied,
    sets: deniesUnknownPods(options) ? presentSets(options) : [],
    chains: chains.filter(([name]) => denied.some((held) => held === name)),
  };
}
