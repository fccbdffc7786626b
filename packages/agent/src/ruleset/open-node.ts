import { baseChain, neighbours, type Place } from "./hooks.js";
import type { NodeOptions, NodeProgram } from "./program.js";
import type { NamedSet, Ruleset } from "./ruleset.js";
import { linkLocal, linkLocalHere, type Side, strangersEnd, watchedRanges } from "./unknown-pods.js";
import { knownPods, podMaps, unknownCounter } from "./vocabulary.js";

/** Whether no rule says anything about any pod of this node. */
export const isOpen = ({ ruleset }: NodeProgram): boolean => ruleset.chains.size === 0;

/*
 * The table of a node whose pods no rule binds. Nobody is judged, so nothing is remembered of connections: the first rules find
 * them with marks of generations that are past, or with none, and judge them all. What is left is to hold back pods that
 * are not known yet; where that is not asked for, the table is empty.
 *
 * Its sets have names of their own. So a packet that is on its way when the first rules come, or the last ones go, walks through
 * chains and sets of one side alone, and nobody needs to ask which rules these are (walk-state.ts).
 */
export function openFrame(program: NodeProgram, options: NodeOptions, place: Place): Ruleset {
  const watched = watchedRanges(options);
  const { counters } = program.ruleset;
  if (watched.length === 0) return { chains: new Map(), sets: new Map(), counters };
  const strangers = (direction: "egress" | "ingress", side: Side) =>
    watched.map(
      ({ family, ip, range }) =>
        `${ip} ${side} ${range} ${ip} ${side} != @${knownPods[family]} goto ${unknownCounter[direction]}`,
    );
  // A pod that is not known cannot have begun what is established.
  const established = "ct state 0x2 accept";
  return {
    chains: new Map([
      baseChain("forward", place, [
        established,
        neighbours,
        ...strangers("egress", "saddr"),
        linkLocal("egress", "saddr"),
        ...strangers("ingress", "daddr"),
        linkLocal("ingress", "daddr"),
      ]),
      baseChain("input", place, [
        established,
        'iifname "lo" accept',
        neighbours,
        // Errors about what the node itself asked for.
        "ct direction 1 accept",
        ...strangers("egress", "saddr"),
        ...linkLocalHere("accept"),
      ]),
      ...strangersEnd(options, { drop: ["drop"], watch: ["accept"] }),
    ]),
    sets: new Map(watched.map(({ family }) => [knownPods[family], known(program, family)])),
    counters: new Set([...counters, ...Object.values(unknownCounter)]),
  };
}

function known({ ruleset }: NodeProgram, family: 4 | 6): NamedSet {
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
