import type { Family } from "@tierwall/core/model";
import { baseChain, neighbours, type Place } from "./hooks.js";
import { presentSets, whilePresent } from "./set-change.js";
import type { NodeOptions, NodeProgram } from "./program.js";
import { chainsOf, type NamedSet, type Ruleset } from "./ruleset.js";
import {
  fromLink,
  fromLinkToNode,
  linkLocal,
  mayBeLinkLocal,
  type Side,
  unknownPodChains,
  watchedRanges,
} from "./unknown-pods.js";
import { knownPods, podMaps, unknownCounter } from "./vocabulary.js";

/** Whether no rule applies to a pod of this node. */
export const isOpen = ({ ruleset }: NodeProgram): boolean => ruleset.chains.size === 0;

/*
 * The table of a node without rules for its pods. Nothing is judged, so connections are not marked: the first rules find them with
 * marks of earlier generations or with none, and judge all of them. The table only denies unknown pods; if that is not enabled, it
 * is empty.
 *
 * New connections pass as few rules as possible, since each cache line that they need reduces their rate. A packet passes only the
 * rules of its own family. Exceptions, such as neighbour discovery, are checked only for packets that would be denied:
 *
 *   forward ─┬─► (IPv4)                known? ── no ──► unknown_egress, unknown_ingress: neighbour discovery? ── no ──► denied
 *            └─► forwarded6            known? ── no ──► the same
 *                                      link-local? ── yes ──► link_saddr, link_daddr ──► the same
 *   input ───┬─► (IPv4)                known? ── no ──► unknown_to_node: of the node itself? a reply? ── no ──► unknown_egress
 *            └─► to_node6              known? ── no ──► the same
 *                                      link-local? ── yes ──► link_to_node
 *
 * Its sets have other names than those of a table with rules. So a packet under evaluation while the first rules are added, or the
 * last ones removed, sees chains and sets of only one of the two tables, and the check of walk-state.ts is not needed.
 */
export function openFrame(program: NodeProgram, options: NodeOptions, place: Place): Ruleset {
  const watched = watchedRanges(options);
  const { counters } = program.ruleset;
  if (watched.length === 0) return { chains: new Map(), sets: new Map(), counters };
  const present = whilePresent(options);
  const unknownPods = (of: Family, side: Side, end: string) =>
    watched.flatMap(({ family, ip, range }) =>
      family === of
        ? [`${ip} ${side} ${range} ${ip} ${side} != @${knownPods[family]} ${present}goto ${end}`]
        : [],
    );
  // An unknown pod cannot have an established connection.
  const established = "ct state 0x2 accept";
  const isIPv6 = "meta nfproto 10";
  const { egress, ingress } = unknownCounter;
  // Errors about connections of the node itself are replies.
  const alwaysAllowed = ['iifname "lo" accept', "ct direction 1 accept"];
  const ends = unknownPodChains(options, { drop: ["drop"], watch: ["accept"] });
  return {
    chains: new Map([
      baseChain("forward", place, [
        established,
        `${isIPv6} goto forwarded6`,
        ...unknownPods(4, "saddr", egress),
        ...unknownPods(4, "daddr", ingress),
      ]),
      baseChain("input", place, [
        established,
        `${isIPv6} goto to_node6`,
        ...unknownPods(4, "saddr", "unknown_to_node"),
      ]),
      ...chainsOf({
        forwarded6: [
          ...unknownPods(6, "saddr", egress),
          `${mayBeLinkLocal("saddr")} jump link_saddr`,
          ...unknownPods(6, "daddr", ingress),
          `${mayBeLinkLocal("daddr")} jump link_daddr`,
        ],
        link_saddr: fromLink(false),
        link_daddr: [linkLocal("ingress", "daddr")],
        to_node6: [
          ...unknownPods(6, "saddr", "unknown_to_node"),
          `${mayBeLinkLocal("saddr")} goto link_to_node`,
        ],
        unknown_to_node: [...alwaysAllowed, `goto ${egress}`],
        link_to_node: [...alwaysAllowed, ...fromLinkToNode(false)],
        [egress]: [neighbours, ...ends[egress]!],
        [ingress]: [neighbours, ...ends[ingress]!],
      }),
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
