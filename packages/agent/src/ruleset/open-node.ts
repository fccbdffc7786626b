import type { Family } from "@tierwall/core/model";
import { baseChain, neighbours, type Place } from "./hooks.js";
import { presentSets, whilePresent } from "./presence.js";
import type { NodeOptions, NodeProgram } from "./program.js";
import type { NamedSet, Ruleset } from "./ruleset.js";
import {
  fromLink,
  fromLinkHere,
  linkLocal,
  mayBeLinkLocal,
  type Side,
  strangersEnd,
  watchedRanges,
} from "./unknown-pods.js";
import { knownPods, podMaps, unknownCounter } from "./vocabulary.js";

/** Whether no rule says anything about any pod of this node. */
export const isOpen = ({ ruleset }: NodeProgram): boolean => ruleset.chains.size === 0;

/*
 * The table of a node whose pods no rule binds. Nobody is judged, so nothing is remembered of connections: the first rules find
 * them with marks of generations that are past, or with none, and judge them all. What is left is to hold back pods that
 * are not known yet; where that is not asked for, the table is empty.
 *
 * What is new walks past as few rules as can be, and past short ones: each line of memory that it needs is a share of its rate. A
 * packet meets the rules of its own family alone. Who is let in all the same, as neighbours are, is asked about those alone who would
 * be held back:
 *
 *   forward ─┬─► (IPv4)                known? ── no ──► unknown_egress, unknown_ingress: a neighbour? ── no ──► held back
 *            └─► through6              known? ── no ──► the same
 *                                      of a link? ── yes ──► link_saddr, link_daddr ──► the same
 *   input ───┬─► (IPv4)                known? ── no ──► stranger_here: of the node itself? a reply? ── no ──► unknown_egress
 *            └─► coming6               known? ── no ──► the same
 *                                      of a link? ── yes ──► link_here
 *
 * Its sets have names of their own. So a packet that is on its way when the first rules come, or the last ones go, walks through
 * chains and sets of one side alone, and nobody needs to ask which rules these are (walk-state.ts).
 */
export function openFrame(program: NodeProgram, options: NodeOptions, place: Place): Ruleset {
  const watched = watchedRanges(options);
  const { counters } = program.ruleset;
  if (watched.length === 0) return { chains: new Map(), sets: new Map(), counters };
  const present = whilePresent(options);
  const strangers = (of: Family, side: Side, end: string) =>
    watched.flatMap(({ family, ip, range }) =>
      family === of
        ? [`${ip} ${side} ${range} ${ip} ${side} != @${knownPods[family]} ${present}goto ${end}`]
        : [],
    );
  // A pod that is not known cannot have begun what is established.
  const established = "ct state 0x2 accept";
  const isIPv6 = "meta nfproto 10";
  const { egress, ingress } = unknownCounter;
  // Errors about what the node itself asked for are replies.
  const welcome = ['iifname "lo" accept', "ct direction 1 accept"];
  const ends = strangersEnd(options, { drop: ["drop"], watch: ["accept"] });
  return {
    chains: new Map([
      baseChain("forward", place, [
        established,
        `${isIPv6} goto through6`,
        ...strangers(4, "saddr", egress),
        ...strangers(4, "daddr", ingress),
      ]),
      [
        "through6",
        {
          rules: [
            ...strangers(6, "saddr", egress),
            `${mayBeLinkLocal("saddr")} jump link_saddr`,
            ...strangers(6, "daddr", ingress),
            `${mayBeLinkLocal("daddr")} jump link_daddr`,
          ],
        },
      ],
      ["link_saddr", { rules: fromLink(false) }],
      ["link_daddr", { rules: [linkLocal("ingress", "daddr")] }],
      baseChain("input", place, [
        established,
        `${isIPv6} goto coming6`,
        ...strangers(4, "saddr", "stranger_here"),
      ]),
      [
        "coming6",
        {
          rules: [...strangers(6, "saddr", "stranger_here"), `${mayBeLinkLocal("saddr")} goto link_here`],
        },
      ],
      ["stranger_here", { rules: [...welcome, `goto ${egress}`] }],
      ["link_here", { rules: [...welcome, ...fromLinkHere(false)] }],
      ...ends.map(([name, { rules }]) => [name, { rules: [neighbours, ...rules] }] as const),
    ]),
    sets: new Map([
      ...watched.map(({ family }) => [knownPods[family], known(program, family)] as const),
      ...presentSets(options),
    ]),
    counters: new Set([...counters, ...Object.values(unknownCounter)]),
  };
}

function known({ ruleset }: NodeProgram, family: Family): NamedSet {
  const pods = ruleset.sets.get(podMaps.egress[family])!;
  const addresses = pods.elements === "learned" ? [] : [...pods.elements.keys()];
  return {
    kind: "set",
    type: `ipv${family}_addr`,
    flags: [],
    ...(pods.size === undefined ? {} : { size: pods.size }),
    elements: new Map(addresses.map((address) => [address, ""])),
  };
}
