import type { Decider } from "@tierwall/core/engine";
import type { Inventory } from "@tierwall/core/model";
import { deciderText } from "@tierwall/core/report";
import { AddressOwners } from "../observe/address-owners.js";
import type { BookEntry, NodeProgram } from "./program.js";
import type { Ruleset } from "./ruleset.js";
import type { Annotations } from "./text.js";
import { counterOf, exactMaps, knownPods, newCounterOf, podMaps } from "./vocabulary.js";

/** What stands where only the frame of the table knows. */
const framed: Readonly<Record<string, string>> = {
  forward: "packets that are forwarded",
  begun: "those of connections that are not new, and of none",
  through: "what their source may send, and what their destination may receive",
  strangers_saddr: "addresses of this node's pods that no known pod has",
  strangers_daddr: "the same for those who are replied to",
  forged:
    "addresses that are not reached by the device that they are said to come from, where pods hang on it",
  through6: "the same for IPv6",
  link_saddr: "from addresses of a link",
  link_daddr: "to addresses of a link",
  input: "packets to this node",
  coming6: "the same for IPv6",
  stranger_here: "pods that are not known, to this node",
  link_here: "from addresses of a link, to this node",
  coming: "what pods on this node may send to it",
  output: "packets of this node itself",
  going: "it reaches its pods, unless a rule binds it",
  ranges_saddr: "who is behind an address that is no pod's and no node's",
  ranges_daddr: "the same for destinations",
  leave: "the source may send it: its destination has still to be asked",
  outdated: "the rules changed during the walk: what it came to counts for nothing, and it is made again",
  stamp: "remembers that the connection is allowed, for as long as these rules are in force",
  deny: "new connections leave nothing behind, established ones are cut",
};

/** As many policies or pods as are named one by one. */
const most = 8;

/** Names the policy and the rule behind each part of a table, and who has which address. */
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
        return [`${again}, while rules change, for those under whom they did`];
      if (kind === "chain" && framed[name] !== undefined) return [framed[name]];
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
    : [`what is logged of it, or would be without a limit: ${ruleLine(logged)}`];
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

/** The rules that may end a walk which comes to a chain. */
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

/** Whose packets come through a chain or a map on their way to the rules. */
function walkersOf(
  { chains, sets }: Ruleset,
  ownerOf: (address: string) => string | undefined,
): ReadonlyMap<string, Walker> {
  const found = new Map<string, Walker>();
  const note = (name: string, what: string, pod: string) => {
    const known = found.get(name) ?? { what, pods: new Set() };
    known.pods.add(pod);
    found.set(name, known);
  };
  const ways = {
    egress: "what goes out from",
    ingress: "what comes in to",
    ownNode: "what this node sends to",
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

/** The pods at an address, or the node; undefined for all others. */
function ownersIn(cluster: Inventory): (address: string) => string | undefined {
  const ends = new AddressOwners(cluster);
  return (address) => {
    const owner = ends.at(address);
    if (owner.kind === "pod") return [owner.pod, ...(owner.sharedWith ?? [])].join(", ");
    return owner.kind === "node" ? `node ${owner.node}` : undefined;
  };
}
