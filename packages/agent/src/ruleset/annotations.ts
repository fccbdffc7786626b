import type { Decider } from "@tierwall/core/engine";
import type { Inventory } from "@tierwall/core/model";
import { deciderText } from "@tierwall/core/report";
import { getOrInsert } from "@tierwall/core/state";
import { AddressOwners } from "../observe/address-owners.js";
import type { BookEntry, NodeProgram } from "./program.js";
import type { Ruleset } from "./ruleset.js";
import type { Annotations } from "./text.js";
import { counterOf, exactMaps, knownPods, newCounterOf, podMaps } from "./vocabulary.js";

/** Comments of the chains that every table has (frame.ts, open-node.ts). */
const frameComments: Readonly<Record<string, string>> = {
  forward: "forwarded packets",
  not_new: "packets of tracked connections, and invalid packets",
  forwarded: "egress rules of the source, then ingress rules of the destination",
  forwarded_reply: "the same for replies",
  forwarded6: "the same for IPv6",
  unknown_saddr: "from unknown pods: addresses in the pod range of this node that no known pod has",
  unknown_daddr: "replies to unknown pods",
  forged: "spoofed addresses: packets from a pod device whose source address has no route through it",
  link_saddr: "from link-local addresses",
  link_daddr: "to link-local addresses",
  input: "packets to this node",
  to_node: "egress rules of pods for packets to this node",
  to_node_reply: "replies to this node",
  to_node6: "the same for IPv6",
  unknown_to_node: "from unknown pods to this node",
  link_to_node: "from link-local addresses to this node",
  output: "packets of this node itself",
  from_node: "allowed to its own pods, unless a rule applies to the node",
  from_node_reply: "replies to pods",
  from_node_own: "rules that apply to this node",
  ranges_saddr: "identity of a source address that is neither a pod nor a node",
  ranges_daddr: "the same for destinations",
  local_saddr: "identity of this node as a source",
  local_daddr: "identity of this node as a destination",
  leave: "allowed by the source; the destination is evaluated next",
  outdated: "the rules changed during the evaluation, which is repeated",
  stamp: "marks the connection as allowed while these rules are in force",
  deny: "drops new connections, and cuts established ones",
  cut: "marks an established connection as cut",
};

/** How many policies or pods are named. */
const most = 8;

/** Comments that name the policy and the rule of each part of a table, and the owner of each address. */
export function annotationsOf(ruleset: Ruleset, { book }: NodeProgram, cluster: Inventory): Annotations {
  const entries = new Map([...book.values()].map((entry) => [counterOf(entry.id), entry]));
  const ownerOf = ownersIn(cluster);
  const deciding = decidersOf(ruleset, entries);
  const walkers = walkersOf(ruleset, ownerOf);
  const whose = (name: string) => {
    const walker = walkers.get(name);
    return walker === undefined ? [] : [`${walker.what} ${enumerate([...walker.pods])}`];
  };
  return {
    above: (kind, name) => {
      if (kind === "counter") return counterLine(name, entries);
      const again = /^(.*)_again$/.exec(name)?.[1];
      if (kind === "chain" && again !== undefined)
        return [`${again}, for packets during whose evaluation the rules changed`];
      if (kind === "chain" && frameComments[name] !== undefined) return [frameComments[name]];
      if (kind === "chain" && /^(ports|allow|deny|pass|shadow|named)_/.test(name)) {
        const lines = [...(deciding.get(name) ?? [])].map(ruleLine);
        return lines.length <= most ? lines : [...lines.slice(0, most), `and ${lines.length - most} more`];
      }
      return whose(name);
    },
    behind: (set, element) => (addressMaps.has(set) ? ownerOf(element) : undefined),
  };
}

function counterLine(name: string, entries: ReadonlyMap<string, BookEntry>): readonly string[] {
  const entry = entries.get(name);
  if (entry !== undefined) return [ruleLine(entry)];
  const logged = [...entries.values()].find(({ id }) => newCounterOf(id) === name);
  return logged === undefined
    ? []
    : [`logged connections, including those over the rate limit: ${ruleLine(logged)}`];
}

const addressMaps: ReadonlySet<string> = new Set(
  [exactMaps, knownPods, ...Object.values(podMaps)].flatMap((maps) => [maps[4], maps[6]]),
);

/** `Allow (ingress): NetworkPolicy shop/allow-web rule 1 · policies/shop.yaml:31`. */
function ruleLine({ verdict, direction, shadow, tier, by }: BookEntry): string {
  const decider =
    by.kind === "rule" ? { kind: "rule", rule: by.rule } : { kind: "isolation", isolation: by.isolation };
  return `${verdict} (${direction}${shadow ? ", shadow" : ""}): ${deciderText({ ...decider, tier } as Decider)}`;
}

/** The rules that can decide in a chain, or in one that it leads to. */
function decidersOf(
  { chains }: Ruleset,
  entries: ReadonlyMap<string, BookEntry>,
): ReadonlyMap<string, ReadonlySet<BookEntry>> {
  const found = new Map<string, Set<BookEntry>>();
  const visit = (name: string): ReadonlySet<BookEntry> => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const own = new Set<BookEntry>();
    found.set(name, own);
    for (const rule of chains.get(name)?.rules ?? []) {
      const counted = entries.get(/\bcounter name "(\w+)"/.exec(rule)?.[1] ?? "");
      if (counted !== undefined) own.add(counted);
      for (const entry of visit(targetOf(rule) ?? "")) own.add(entry);
    }
    return own;
  };
  for (const name of chains.keys()) visit(name);
  return found;
}

interface Walker {
  readonly what: string;
  readonly pods: Set<string>;
}

/** The pods whose packets pass a chain or a map on their way to the rules. */
function walkersOf(
  { chains, sets }: Ruleset,
  ownerOf: (address: string) => string | undefined,
): ReadonlyMap<string, Walker> {
  const found = new Map<string, Walker>();
  const note = (name: string, what: string, pod: string) => {
    getOrInsert(found, name, () => ({ what, pods: new Set<string>() })).pods.add(pod);
  };
  const ways = {
    egress: "egress of",
    ingress: "ingress of",
    ownNode: "from this node to",
  };
  for (const [way, maps] of Object.entries(podMaps))
    for (const map of [sets.get(maps[4]), sets.get(maps[6])])
      for (const [address, verdict] of map === undefined || map.elements === "learned" ? [] : map.elements) {
        const what = ways[way as keyof typeof ways];
        const pod = ownerOf(address) ?? address;
        const start = targetOf(verdict);
        if (start === undefined || start === "stamp") continue;
        note(start, what, pod);
        for (const rule of chains.get(start)?.rules ?? []) {
          const tier = targetOf(rule);
          if (tier === undefined || !tier.startsWith("tier_")) continue;
          note(tier, what, pod);
          const lookup = /vmap @(\S+)$/.exec(chains.get(tier)?.rules[0] ?? "")?.[1];
          if (lookup !== undefined) note(lookup, what, pod);
        }
      }
  return found;
}

const targetOf = (text: string): string | undefined => /\b(?:goto|jump) (\S+)$/.exec(text)?.[1];

function enumerate(names: readonly string[]): string {
  const sorted = names.toSorted();
  const more = sorted.length - most;
  return more <= 0 ? sorted.join(", ") : `${sorted.slice(0, most).join(", ")} and ${more} more`;
}

/** The pods or the node at an address; undefined for other addresses. */
function ownersIn(cluster: Inventory): (address: string) => string | undefined {
  const ends = new AddressOwners(cluster);
  return (address) => {
    const owner = ends.at(address);
    if (owner.kind === "pod") return [owner.pod, ...(owner.sharedWith ?? [])].join(", ");
    return owner.kind === "node" ? `node ${owner.node}` : undefined;
  };
}
