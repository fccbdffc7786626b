import { bitsOf, type Cidr, covers, type Family, formatAddress, formatCidr } from "@tierwall/core";
import { generationBits, hex, isStamped, markField, setMark } from "./connection-mark.js";
import type { NodeOptions, NodeProgram } from "./program.js";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";
import { cutCounter, localRanges, logPrefix, podMaps, unknownCounter } from "./vocabulary.js";
import {
  hasNotLeft,
  isSettled,
  leaveChain,
  mayLeave,
  nowIs,
  nowMap,
  outdatedChain,
  settle,
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

/** Of two tables that judge beside each other, each has the places of its base chains side by side. */
export type Place = "first" | "second";

const firstPriority: Readonly<Record<Place, number>> = { first: -10, second: -8 };

/*
 * The table around a program: where packets come in, who of them is judged at all, and what is remembered.
 *
 *   forward ─► walk of the source ─► walk of the destination ─► stamp
 *   input   ─► walk of the source ─► stamp
 *   output  ─► what binds the node itself; replies to pods ─► stamp
 *
 * A connection that the present generation judged is let through, or dropped, by its mark. All others are judged, also
 * those that were established under other rules: replies are turned round, so that they meet the same rules. Behind each base
 * chain stands another, `…_again`, for packets under which the rules changed (walk-state.ts).
 */
export function frame(
  program: NodeProgram,
  options: NodeOptions,
  generation: number,
  additions: Additions = {},
  place: Place = "first",
): Ruleset {
  const { extra } = additions;
  const { chains, sets, counters } = program.ruleset;
  const unknown = unknownPods(options, generation);
  return {
    chains: new Map([
      ...chains,
      ...endings(options, generation),
      ...walks(program, options, generation, additions),
      ...baseChains(program, options, generation, place),
      ...unknown.chains,
      ...(extra?.chains ?? []),
    ]),
    sets: new Map([...sets, [nowMap, nowElements(generation)], ...unknown.sets, ...(extra?.sets ?? [])]),
    counters: new Set([...counters, cutCounter, ...unknown.counters, ...(extra?.counters ?? [])]),
  };
}

function nowElements(generation: number): NamedSet {
  const elements = new Map(["2", "10"].map((family) => [family, nowIs(generation)] as const));
  return { kind: "map", type: "nf_proto : classid", flags: [], elements };
}

type NamedChain = readonly [string, Chain];

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
    ["stamp", { rules: [...unlessSame, settle, setMark(judged, current), "accept"] }],
    // New connections leave nothing behind when they are dropped; an established one remembers that it is cut.
    ...(isStamped(mask, generation)
      ? ([
          ["deny", { rules: [...unlessSame, "ct state 0x2 goto cut", ...deny] }],
          [
            "cut",
            { rules: [`counter name "${cutCounter}"`, setMark(mask, (current | denied) >>> 0), ...deny] },
          ],
        ] as const)
      : ([["deny", { rules: [...unlessSame, ...deny] }]] as const)),
    // No verdict: whatever comes after it on this walk comes here, too, and falls out of the base chain.
    [outdatedChain, { rules: [unsettle] }],
  ];
}

/** What the mark of a connection tells, once this generation judged it. */
function memory({ connectionMask: mask }: NodeOptions, generation: number) {
  if (!isStamped(mask, generation)) return { allowed: [], remembered: [] };
  const { judged, denied } = markField(mask);
  const current = generationBits(mask, generation);
  // S1.5: errors about a connection bear its mark, so that they are let through or dropped with it. Before a packet of it was
  // judged by this generation there is nothing to report; who does so anyway is judged by what he sends.
  const allowed = `ct mark & ${hex(judged)} == ${hex(current)} accept`;
  return {
    allowed: [allowed],
    remembered: [allowed, `ct mark & ${hex(judged)} == ${hex(current | denied)} drop`],
  };
}

// Finding neighbours is not a connection; such packets never come from further away.
const neighbours = "ip6 hoplimit 255 icmpv6 type 133-137 accept";

function baseChains(
  program: NodeProgram,
  options: NodeOptions,
  generation: number,
  place: Place,
): readonly NamedChain[] {
  const { allowed, remembered } = memory(options, generation);
  const at = (hook: "forward" | "input" | "output", turn: number) =>
    `type filter hook ${hook} priority ${firstPriority[place] + turn}; policy accept;`;
  const again = (walk: string) => [`${isSettled} accept`, `jump ${walk}`, "drop"];
  // Errors, and the reset by which somebody learns that he is denied.
  const notOfPods = ['oifname "lo" accept', "ct state 0x4 accept"];
  const own = ownNode(program, "daddr").length > 0;
  return [
    ["forward", { hook: at("forward", 0), rules: [...remembered, neighbours, "goto through"] }],
    ["forward_again", { hook: at("forward", 1), rules: again("through") }],
    ["input", { hook: at("input", 0), rules: ['iifname "lo" accept', "goto coming"] }],
    ["input_again", { hook: at("input", 1), rules: again("coming") }],
    ...(own || judgesEgress(program)
      ? [
          ["output", { hook: at("output", 0), rules: [...notOfPods, "goto going"] }] as const,
          [
            "output_again",
            {
              hook: at("output", 1),
              rules: [
                ...notOfPods,
                ...allowed,
                // What the node sends of its own keeps its priority, so that nothing tells that the rules were changing.
                ...(own ? ["ct direction 0 jump going_own"] : []),
                ...again("going"),
              ],
            },
          ] as const,
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
  const { byName } = markField(options.connectionMask);
  const { remembered } = memory(options, generation);
  const forget =
    program.names.length === 0
      ? []
      : [`ct mark & ${hex(byName)} == ${hex(byName)} ct mark set ct mark & ${hex(~byName)}`];
  const unknown = (direction: "egress" | "ingress", side: "saddr" | "daddr") =>
    families(options).map(
      ({ family, ip }) => `${ip} ${side} @${localRanges[family]} goto ${unknownCounter[direction]}`,
    );
  // Such packets are never routed: they go from port to port of a bridge, by addresses that pods give themselves and that
  // no policy can name.
  const linkLocal = (direction: "egress" | "ingress", side: "saddr" | "daddr") =>
    families(options).length === 0
      ? []
      : [`ip6 ${side} fe80::/10 ${notToAll[side]}goto ${unknownCounter[direction]}`];
  const leaving = (side: "saddr" | "daddr") => [
    ...podsIn("egress", side),
    ...unknown("egress", side).map((rule) => `${hasNotLeft} ${rule}`),
  ];
  const entering = (side: "saddr" | "daddr") => [
    unsettle,
    ...podsIn("ingress", side),
    ...unknown("ingress", side),
    ...linkLocal("ingress", side),
  ];
  const through = (source: "saddr" | "daddr", destination: "saddr" | "daddr") => [
    ...leaving(source),
    ...linkLocal("egress", source),
    ...entering(destination),
    "goto stamp",
  ];
  // The same to the node itself, which has other neighbours, too; these are not behind what pods hang on, but for those of a
  // node whose own link is a bridge. It may get its address from there.
  const linkLocalHere =
    families(options).length === 0
      ? []
      : [
          `ip6 saddr fe80::/10 udp sport 547 udp dport 546 ${settle} accept`,
          ...["bridge", "veth"].map(
            (kind) => `meta iifkind "${kind}" ${linkLocal("egress", "saddr").join("")}`,
          ),
        ];
  const own = ownNode(program, "daddr");
  return [
    [
      "through",
      { rules: [unsettle, ...forget, "ct direction 1 goto through_reply", ...through("saddr", "daddr")] },
    ],
    ["through_reply", { rules: through("daddr", "saddr") }],
    [
      "coming",
      {
        rules: [
          ...beforeInput,
          ...remembered,
          neighbours,
          unsettle,
          "ct direction 1 goto coming_reply",
          ...forget,
          ...leaving("saddr"),
          ...linkLocalHere,
          "goto stamp",
        ],
      },
    ],
    // Replies to what the node itself asked for: welcome (S1.6), unless it is bound (S7.8).
    ["coming_reply", { rules: [...ownNode(program, "saddr"), settle, "accept"] }],
    ["going", { rules: [...beforeOutput, ...remembered, "ct direction 1 goto going_reply", ...own] }],
    // What a pod asked of the node is judged where it comes in, and here if only the node still speaks.
    ["going_reply", { rules: [unsettle, ...podsIn("egress", "daddr"), "goto stamp"] }],
    ...(own.length > 0 ? [["going_own", { rules: own }] as const] : []),
  ];
}

const podsIn = (direction: "egress" | "ingress", side: "saddr" | "daddr"): readonly string[] => [
  `ip ${side} vmap @${podMaps[direction][4]}`,
  `ip6 ${side} vmap @${podMaps[direction][6]}`,
];

/** What is sent to all of a link is not for one pod. */
const notToAll = { saddr: "ip6 daddr != ff00::/8 ", daddr: "" } as const;

/** What the node may not do to its pods. */
function ownNode({ ruleset }: NodeProgram, side: "saddr" | "daddr"): readonly string[] {
  return ([4, 6] as const).flatMap((family) =>
    ruleset.sets.has(podMaps.ownNode[family])
      ? [`${family === 4 ? "ip" : "ip6"} ${side} vmap @${podMaps.ownNode[family]}`]
      : [],
  );
}

/** Whether any pod may be denied what it asks for: else the node's own packets need not be looked at. */
function judgesEgress({ ruleset }: NodeProgram): boolean {
  return ([4, 6] as const).some((family) => {
    const elements = ruleset.sets.get(podMaps.egress[family])?.elements;
    return (
      elements !== undefined &&
      elements !== "learned" &&
      [...elements.values()].some((verdict) => verdict !== `jump ${leaveChain}`)
    );
  });
}

function families({ unknownPods: mode, localRanges: ranges }: NodeOptions) {
  if (mode === "allow") return [];
  return ([4, 6] as const).flatMap((family) =>
    ranges.some((range) => range.family === family) ? [{ family, ip: family === 4 ? "ip" : "ip6" }] : [],
  );
}

/** Addresses that belong to this node's pods, and to none that is known: the verdict is not programmed yet. */
function unknownPods(
  options: NodeOptions,
  generation: number,
): {
  readonly chains: readonly (readonly [string, Chain])[];
  readonly sets: readonly (readonly [string, NamedSet])[];
  readonly counters: readonly string[];
} {
  const concerned = families(options);
  if (concerned.length === 0) return { chains: [], sets: [], counters: [] };
  const names = [unknownCounter.egress, unknownCounter.ingress];
  return {
    counters: names,
    chains: names.map((name) => [name, { rules: unknownRules(name, options, generation) }] as const),
    sets: concerned.map(
      ({ family }) => [localRanges[family], rangeSet(family, options.localRanges)] as const,
    ),
  };
}

function unknownRules(name: string, { log, shadow }: NodeOptions, generation: number): readonly string[] {
  const limit =
    log && `limit rate ${log.perSecond}/second${log.burst === 5 ? "" : ` burst ${log.burst} packets`}`;
  return [
    `counter name "${name}"`,
    ...(log === undefined ? [] : [`${limit} log prefix "${logPrefix(name)}" group ${log.group}`]),
    ...(shadow ? [settle, "accept"] : [...unlessSameRules(generation), "drop"]),
  ];
}

function rangeSet(family: Family, ranges: readonly Cidr[]): NamedSet {
  const own = ranges.filter((range) => range.family === family);
  // Intervals that overlap are refused.
  const outermost = own.filter((range) => !own.some((other) => isWider(other, range)));
  return {
    kind: "set",
    type: `ipv${family}_addr`,
    flags: ["interval"],
    elements: new Map(outermost.map((range) => [rangeText(range), ""])),
  };
}

const isWider = (outer: Cidr, inner: Cidr): boolean => outer.prefix < inner.prefix && covers(outer, inner);

/** As nft prints it: a single address without its prefix. */
const rangeText = (range: Cidr): string =>
  range.prefix === bitsOf(range.family)
    ? formatAddress({ family: range.family, value: range.first })
    : formatCidr(range);
