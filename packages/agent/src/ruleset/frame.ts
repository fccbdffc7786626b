import { bitsOf, type Cidr, covers, type Family, formatAddress, formatCidr } from "@tierwall/core";
import { generationBits, hex, markField, setMark } from "./connection-mark.js";
import type { NodeOptions, NodeProgram } from "./program.js";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";
import { cutCounter, localRanges, logPrefix, podMaps, unknownCounter } from "./vocabulary.js";
import {
  isNotOnItsWay,
  isSettled,
  mayLeave,
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

const firstPriority: Readonly<Record<Place, number>> = { first: -10, second: -6 };

/*
 * The table around a program: where packets come in, who of them is judged at all, and what is remembered.
 *
 *   forward ─► egress  (walk of the source)  ─► ingress (walk of the destination) ─► stamp
 *   input   ─► input   (walk of the source)  ─► arrival                           ─► stamp
 *   output  ─► output  (what binds the node itself; replies to pods)  ─► departure ─► stamp
 *
 * A connection that the present generation judged is let through, or dropped, by its mark. All others are judged, also
 * those that were established under other rules: replies are turned round, so that they meet the same rules. Behind the two
 * base chains of each row stand two more, `…_again`, for packets under which the rules changed (walk-state.ts).
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
  const unknown = unknownPods(options);
  return {
    chains: new Map([
      ...chains,
      ...endings(options, generation),
      ...baseChains(program, options, generation, additions, place),
      ...unknown.chains,
      ...(extra?.chains ?? []),
    ]),
    sets: new Map([...sets, [nowMap, nowElements(generation)], ...unknown.sets, ...(extra?.sets ?? [])]),
    counters: new Set([...counters, cutCounter, ...unknown.counters, ...(extra?.counters ?? [])]),
  };
}

function nowElements(generation: number): NamedSet {
  const elements = new Map(["2", "10"].map((family) => [family, mayLeave(generation)] as const));
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
    ["leave", { rules: [`meta priority set ${mayLeave(generation)}`, "accept"] }],
    ["stamp", { rules: [...unlessSame, settle, setMark(judged, current), "accept"] }],
    // New connections leave nothing behind when they are dropped; an established one remembers that it is cut.
    ["deny", { rules: [...unlessSame, "ct state 0x2 goto cut", ...deny] }],
    ["cut", { rules: [`counter name "${cutCounter}"`, setMark(mask, (current | denied) >>> 0), ...deny] }],
    // No verdict: whatever comes after it on this walk comes here, too, and falls out of the base chain.
    [outdatedChain, { rules: [unsettle] }],
  ];
}

function baseChains(
  program: NodeProgram,
  options: NodeOptions,
  generation: number,
  { beforeInput = [], beforeOutput = [] }: Additions,
  place: Place,
): readonly NamedChain[] {
  const mask = options.connectionMask;
  const { judged, denied, byName } = markField(mask);
  const current = generationBits(mask, generation);
  // S1.5: errors about a connection bear its mark, so that they are let through or dropped with it. Before a packet of it was
  // judged by this generation there is nothing to report; who does so anyway is judged by what he sends.
  const allowed = `ct mark & ${hex(judged)} == ${hex(current)} accept`;
  const remembered = [allowed, `ct mark & ${hex(judged)} == ${hex(current | denied)} drop`];
  const forget =
    program.names.length === 0
      ? []
      : [`ct mark & ${hex(byName)} == ${hex(byName)} ct mark set ct mark & ${hex(~byName)}`];
  // Finding neighbours is not a connection; such packets never come from further away.
  const neighbours = "ip6 hoplimit 255 icmpv6 type 133-137 accept";
  const begin = `meta priority set ${mayLeave(generation)}`;
  const unlessLeft = `meta priority != ${mayLeave(generation)} goto ${outdatedChain}`;
  const unknown = (direction: "egress" | "ingress", side: "saddr" | "daddr") =>
    families(options).map(
      ({ family, ip }) => `${ip} ${side} @${localRanges[family]} goto ${unknownCounter[direction]}`,
    );
  const walk = (direction: "egress" | "ingress", side: "saddr" | "daddr") => [
    `ip ${side} vmap @${podMaps[direction][4]}`,
    `ip6 ${side} vmap @${podMaps[direction][6]}`,
    ...unknown(direction, side),
  ];
  // Such packets are never routed: they go from port to port of a bridge, by addresses that pods give themselves and that
  // no policy can name.
  const linkLocal = (direction: "egress" | "ingress", side: "saddr" | "daddr") =>
    families(options).length === 0
      ? []
      : [`ip6 ${side} fe80::/10 ${notToAll[side]}goto ${unknownCounter[direction]}`];
  const forwarded = (direction: "egress" | "ingress", side: "saddr" | "daddr") => [
    ...walk(direction, side),
    ...linkLocal(direction, side),
  ];
  // The same to the node itself, which has other neighbours, too; these are not behind what pods hang on, but for those of a
  // node whose own link is a bridge. It may get its address from there.
  const linkLocalHere =
    families(options).length === 0
      ? []
      : [
          "ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept",
          ...["bridge", "veth"].map(
            (kind) => `meta iifkind "${kind}" ${linkLocal("egress", "saddr").join("")}`,
          ),
        ];
  const own = [...ownNode(program, "daddr")];
  return [
    ...inTwoSteps("forward", place, {
      leaving: { name: "egress", before: [...remembered, neighbours], walk: "leaving" },
      entering: { name: "ingress", before: [allowed, neighbours], walk: "entering" },
    }),
    [
      "leaving",
      { rules: [begin, ...forget, "ct direction 1 goto leaving_reply", ...forwarded("egress", "saddr")] },
    ],
    ["leaving_reply", { rules: forwarded("egress", "daddr") }],
    [
      "entering",
      {
        rules: [
          unlessLeft,
          unsettle,
          "ct direction 1 goto entering_reply",
          ...forwarded("ingress", "daddr"),
          "goto stamp",
        ],
      },
    ],
    ["entering_reply", { rules: [...forwarded("ingress", "saddr"), "goto stamp"] }],
    ...inTwoSteps("input", place, {
      leaving: { name: "input", before: ['iifname "lo" accept'], walk: "coming" },
      entering: { name: "arrival", before: ['iifname "lo" accept', allowed], walk: "arriving" },
    }),
    [
      "coming",
      {
        rules: [
          // What is settled before pods are judged is stamped all the same.
          ...(beforeInput.length === 0 ? [] : [begin, ...beforeInput]),
          ...remembered,
          begin,
          "ct direction 1 goto coming_reply",
          ...forget,
          neighbours,
          ...walk("egress", "saddr"),
          ...linkLocalHere,
        ],
      },
    ],
    // Replies to what the node itself asked for: welcome (S1.6), unless it is bound (S7.8).
    ["coming_reply", { rules: [...ownNode(program, "saddr"), "accept"] }],
    [
      "arriving",
      { rules: [`${isNotOnItsWay} accept`, unlessLeft, `ct direction 1 ${settle} accept`, "goto stamp"] },
    ],
    ...(own.length > 0 || judgesEgress(program)
      ? [
          ...inTwoSteps("output", place, {
            leaving: {
              name: "output",
              // Errors, and the reset by which somebody learns that he is denied.
              before: ['oifname "lo" accept', "ct state 0x4 accept"],
              walk: "going",
            },
            entering: {
              name: "departure",
              before: ['oifname "lo" accept', "ct state 0x4 accept", allowed],
              walk: "departing",
            },
          }),
          [
            "going",
            { rules: [...beforeOutput, ...remembered, "ct direction 1 goto going_reply", ...own] },
          ] as const,
          // What a pod asked of the node is judged where it comes in, and here if only the node still speaks.
          [
            "going_reply",
            { rules: [begin, `ip daddr vmap @${podMaps.egress[4]}`, `ip6 daddr vmap @${podMaps.egress[6]}`] },
          ] as const,
          // What the node sends of its own keeps its priority, so that nothing tells that the rules were changing.
          ["departing", { rules: ["ct direction 1 goto departing_reply", ...own] }] as const,
          ["departing_reply", { rules: [`${isNotOnItsWay} accept`, unlessLeft, "goto stamp"] }] as const,
        ]
      : []),
  ];
}

interface Step {
  readonly name: string;
  /** Who needs no walk. */
  readonly before: readonly string[];
  readonly walk: string;
}

/** Two base chains, and the same two once more for those under whom the rules changed. */
function inTwoSteps(
  hook: "forward" | "input" | "output",
  place: Place,
  { leaving, entering }: { readonly leaving: Step; readonly entering: Step },
): readonly NamedChain[] {
  const at = (turn: number) =>
    `type filter hook ${hook} priority ${firstPriority[place] + turn}; policy accept;`;
  return [
    [leaving.name, { hook: at(0), rules: [...leaving.before, `goto ${leaving.walk}`] }],
    [entering.name, { hook: at(1), rules: [...entering.before, `goto ${entering.walk}`] }],
    [`${leaving.name}_again`, { hook: at(2), rules: [`${isSettled} accept`, `goto ${leaving.walk}`] }],
    [
      `${entering.name}_again`,
      { hook: at(3), rules: [`${isNotOnItsWay} accept`, `jump ${entering.walk}`, "drop"] },
    ],
  ];
}

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
      elements !== undefined && elements !== "learned" && [...elements.values()].some((v) => v !== "accept")
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
function unknownPods(options: NodeOptions): {
  readonly chains: readonly (readonly [string, Chain])[];
  readonly sets: readonly (readonly [string, NamedSet])[];
  readonly counters: readonly string[];
} {
  const concerned = families(options);
  if (concerned.length === 0) return { chains: [], sets: [], counters: [] };
  const names = [unknownCounter.egress, unknownCounter.ingress];
  return {
    counters: names,
    chains: names.map((name) => [name, { rules: unknownRules(name, options) }] as const),
    sets: concerned.map(
      ({ family }) => [localRanges[family], rangeSet(family, options.localRanges)] as const,
    ),
  };
}

function unknownRules(name: string, { log, shadow }: NodeOptions): readonly string[] {
  const limit =
    log && `limit rate ${log.perSecond}/second${log.burst === 5 ? "" : ` burst ${log.burst} packets`}`;
  return [
    `counter name "${name}"`,
    ...(log === undefined ? [] : [`${limit} log prefix "${logPrefix(name)}" group ${log.group}`]),
    ...(shadow ? [...(name === unknownCounter.ingress ? [settle] : []), "accept"] : ["drop"]),
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
