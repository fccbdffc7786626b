import { generationBits, hex, isNotCut, isStamped, markField, setMark } from "./connection-mark.js";
import { baseChain, neighbours, type Place } from "./hooks.js";
import { isOpen, openFrame } from "./open-node.js";
import { presentSets, whilePresent } from "./presence.js";
import type { NodeOptions, NodeProgram } from "./program.js";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";
import {
  findsForged,
  forgedChain,
  forgedRules,
  fromLink,
  fromLinkHere,
  holdsStrangersBack,
  linkLocal,
  mayBeLinkLocal,
  type Side,
  strangersEnd,
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

/** What others put into the table. */
export interface Additions {
  /** Rules that decide about packets to the node before pods are judged. */
  readonly beforeInput?: readonly string[];
  /** The same for packets from the node; of use only where some rule binds the node itself. */
  readonly beforeOutput?: readonly string[];
  readonly extra?: Ruleset;
}

/*
 * The table around a program: where packets come in, who of them is judged at all, and what is remembered.
 *
 *   forward ─► walk of the source ─► walk of the destination ─► stamp
 *   input   ─► walk of the source ─► stamp
 *   output  ─► what binds the node itself; replies to pods ─► stamp
 *
 * A connection that the present generation judged is let through, or dropped, by its mark. All others are judged, also
 * those that were established under other rules: replies are turned round, so that they meet the same rules. Behind each base
 * chain stands another, `…_again`, for packets under which the rules changed (walk-state.ts), empty while they do not (at-rest.ts).
 * Where no rule binds any pod there is nothing to judge (open-node.ts).
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

/** Who is at the other end, if that is neither a pod nor a node, or if it is this node itself. */
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

/** Where walks come to an end. */
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
    // New connections leave nothing behind when they are dropped; an established one remembers that it is cut.
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
    // No verdict: whatever comes after it on this walk comes here, too, and falls out of the base chain.
    [outdatedChain, { rules: [unsettle] }],
  ];
}

/** What the mark of a connection tells, once this generation judged it. */
function memory({ connectionMask: mask }: NodeOptions, generation: number) {
  if (!isStamped(mask, generation)) return { allowed: [], cut: [] };
  const { judged, denied } = markField(mask);
  const current = generationBits(mask, generation);
  // S1.5: errors about a connection bear its mark, so that they are let through or dropped with it. Before a packet of it was
  // judged by this generation there is nothing to report; who does so anyway is judged by what he sends.
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
  // Errors, and the reset by which somebody learns that he is denied.
  const notOfPods = ['oifname "lo" accept', "ct state 0x4 accept"];
  const own = ownNode(program, "daddr").length > 0;
  return [
    // Nearly all packets leave by the first rule. New connections are walked through from here: each chain that need not be
    // called, and each rule that cannot mean them, is a share of their rate.
    baseChain("forward", place, [
      ...allowed,
      "ct state != 0x8 goto begun",
      ...forget(program, options),
      ...between(program, options, "saddr", "daddr"),
    ]),
    ["begun", { rules: [...cut, neighbours, "goto through"] }],
    again("forward", "through"),
    baseChain("input", place, ['iifname "lo" accept', "goto coming"]),
    again("input", "coming"),
    ...(own || judges(program, "egress")
      ? [
          baseChain("output", place, [...notOfPods, "goto going"]),
          // What the node sends of its own keeps its priority, so that nothing tells that the rules were changing.
          again("output", "going", [
            ...notOfPods,
            ...allowed,
            ...(own ? ["ct direction 0 jump going_own"] : []),
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
      "through",
      {
        rules: [
          ...forget(program, options),
          "ct direction 1 goto through_reply",
          ...between(program, options, "saddr", "daddr"),
        ],
      },
    ],
    ["through_reply", { rules: between(program, options, "daddr", "saddr") }],
    ...(holdsLinksBack(program, options, "egress") ? strangers(program, options) : []),
    ...(findsForged(options) ? [[forgedChain, { rules: forgedRules }] as const] : []),
    [
      "coming",
      {
        rules: [
          ...beforeInput,
          // S1.16: what goes to all of a bridge was also forwarded to others there, which says nothing about the node.
          ...allowed.map((rule) => rule.replace(/accept$/, "meta pkttype 0 accept")),
          ...cut,
          neighbours,
          unsettle,
          "ct direction 1 goto coming_reply",
          ...forget(program, options),
          ...podsIn("egress", "saddr"),
          ...unknown(options, "egress", "saddr").map((rule) => `${hasNotLeft} ${rule}`),
          ...(holdsLinksBack(program, options, "egress")
            ? [`${hasNotLeft} ${mayBeLinkLocal("saddr")} jump ${linkChain.input}`]
            : []),
          ...(findsForged(options) ? [`${hasNotLeft} jump ${forgedChain}`] : []),
          "goto stamp",
        ],
      },
    ],
    // Replies to what the node itself asked for: welcome (S1.6), unless it is bound (S7.8).
    ["coming_reply", { rules: [...ownNode(program, "saddr"), markSettled, "accept"] }],
    ["going", { rules: [...beforeOutput, ...allowed, ...cut, "ct direction 1 goto going_reply", ...own] }],
    // What a pod asked of the node is judged where it comes in, and here if only the node still speaks.
    ["going_reply", { rules: [unsettle, ...podsIn("egress", "daddr"), "goto stamp"] }],
    ...(own.length > 0 ? [["going_own", { rules: own }] as const] : []),
  ];
}

/** Whether it was a name that let the connection through is found out again. */
function forget({ names }: NodeProgram, { connectionMask }: NodeOptions): readonly string[] {
  const { byName } = markField(connectionMask);
  return names.length === 0
    ? []
    : [`ct mark & ${hex(byName)} == ${hex(byName)} ct mark set ct mark & ${hex(~byName)}`];
}

/** From one end to the other. */
function between(
  program: NodeProgram,
  options: NodeOptions,
  source: Side,
  destination: Side,
): readonly string[] {
  // Whoever it is that is looked up, the walk begins with it.
  const begin = ([four, six]: readonly [string, string]) => [`${unsettle} ${four}`, six];
  return [
    ...begin(podsIn("egress", source)),
    ...(holdsLinksBack(program, options, "egress") ? [`${hasNotLeft} jump ${strangersChain[source]}`] : []),
    ...begin(podsIn("ingress", destination)),
    ...unknown(options, "ingress", destination),
    ...(holdsLinksBack(program, options, "ingress") ? [linkLocal("ingress", destination)] : []),
    "goto stamp",
  ];
}

const strangersChain = { saddr: "strangers_saddr", daddr: "strangers_daddr" } as const;
const linkChain = { forward: "link_saddr", input: "link_here" } as const;

/** Those who are not asked what they may send, and should be known. */
function strangers(program: NodeProgram, options: NodeOptions): readonly NamedChain[] {
  const isJudged = judges(program, "egress");
  return [
    [
      strangersChain.saddr,
      {
        rules: [
          ...unknown(options, "egress", "saddr"),
          `${mayBeLinkLocal("saddr")} jump ${linkChain.forward}`,
          // Whom a reply goes to did not come by the device that it comes by.
          ...(findsForged(options) ? [`goto ${forgedChain}`] : []),
        ],
      },
    ],
    [strangersChain.daddr, { rules: [...unknown(options, "egress", "daddr"), linkLocal("egress", "daddr")] }],
    [linkChain.forward, { rules: fromLink(isJudged) }],
    [linkChain.input, { rules: fromLinkHere(isJudged) }],
  ];
}

const unknown = (options: NodeOptions, direction: "egress" | "ingress", side: Side): readonly string[] =>
  watchedRanges(options).map(
    ({ ip, range }) => `${ip} ${side} ${range} ${whilePresent(options)}goto ${unknownCounter[direction]}`,
  );

/** Whether addresses of links are held back: with unknown pods, and wherever they would be a way around policies. */
const holdsLinksBack = (
  program: NodeProgram,
  options: NodeOptions,
  direction: "egress" | "ingress",
): boolean => holdsStrangersBack(options) || judges(program, direction);

const podsIn = (direction: "egress" | "ingress", side: Side): readonly [string, string] => [
  `ip ${side} vmap @${podMaps[direction][4]}`,
  `ip6 ${side} vmap @${podMaps[direction][6]}`,
];

/** What the node may not do to its pods. */
function ownNode({ ruleset }: NodeProgram, side: Side): readonly string[] {
  return ([4, 6] as const).flatMap((family) =>
    ruleset.sets.has(podMaps.ownNode[family])
      ? [`${family === 4 ? "ip" : "ip6"} ${side} vmap @${podMaps.ownNode[family]}`]
      : [],
  );
}

const letsAllThrough = { egress: `jump ${leaveChain}`, ingress: "goto stamp" } as const;

/** Whether any pod may be denied what it sends, or what it is sent. */
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

/** Those whose verdict is not programmed yet, and addresses that belong to no pod. */
function unknownPods(program: NodeProgram, options: NodeOptions, generation: number) {
  const heldBack = (["egress", "ingress"] as const).flatMap((direction) =>
    holdsLinksBack(program, options, direction) ? [unknownCounter[direction]] : [],
  );
  const drop = [unlessSameRules(generation), "drop"];
  const chains = strangersEnd(options, { drop, watch: [markSettled, "accept"] });
  return {
    counters: heldBack,
    sets: holdsStrangersBack(options) ? presentSets(options) : [],
    chains: chains.filter(([name]) => heldBack.some((held) => held === name)),
  };
}
