import {
  type Cluster,
  type Direction,
  type Family,
  formatAddress,
  formatRange,
  type Rule,
  type Tiers,
} from "@tierwall/core";
import type { BookEntry, ModesOf, NameSet, NodeOptions, NodeProgram } from "../ruleset/program.js";
import type { NamedSet } from "../ruleset/ruleset.js";
import { counterOf, identityMaps, podMaps } from "../ruleset/vocabulary.js";
import { ChainStore } from "./chain-store.js";
import { type End, Ends } from "./ends.js";
import { ClaimedAddresses } from "./claimed-addresses.js";
import { Identities, somebody } from "./identities.js";
import { type Landmarks, landmarksOf } from "./landmarks.js";
import { kernelSets, nameSetsOf } from "./name-sets.js";
import { OwnNode } from "./own-node.js";
import { PeerReaches } from "./peer-reach.js";
import { PortChains } from "./port-chains.js";
import { RuleBook } from "./rule-book.js";
import { RuleReaches } from "./rule-reach.js";
import { type Row, type Rows, type Subject, Subjects } from "./subjects.js";
import { allowing, Terminals } from "./terminals.js";
import { type TierChain, TierChains } from "./tier-chains.js";
import { WordList } from "./words.js";

/*
 * A cluster and its tiers → what one node enforces.
 *
 *   pods of this node ─► Subjects ─► rows of rules, a tier each ────────────┐
 *   tiers ─► RuleBook (ids), WordList (what rules look at)                  ├─► TierChains ─► class chains
 *   all pods, nodes, blocks ─► Landmarks ─► Ends ─► PeerReaches, RuleReaches ┘       │
 *                                             └─► Identities ────────────────────────┴─► maps
 *
 * The program is a function of cluster, tiers and options alone. What is kept between two calls only saves work.
 */
export class NodeCompiler {
  private readonly chains = new ChainStore();
  private readonly book: RuleBook;
  private readonly words = new WordList();
  private readonly subjects: Subjects;
  private readonly ends: Ends;
  private readonly peers: PeerReaches;
  private readonly reaches: RuleReaches;
  private readonly ports: PortChains;
  private readonly tierChains: TierChains;
  private readonly ownNode: OwnNode;
  private readonly identities = new Identities();
  private landmarks: Landmarks | undefined;
  private sets: ReadonlyMap<string, NamedSet> = new Map();

  constructor(options: NodeOptions, modesOf: ModesOf) {
    this.book = new RuleBook(modesOf);
    this.subjects = new Subjects(options.node);
    this.ends = new Ends(options.node);
    this.peers = new PeerReaches(this.ends);
    this.reaches = new RuleReaches(this.peers, this.ends);
    this.ports = new PortChains(this.chains, new Terminals(this.chains, options), this.book);
    this.tierChains = new TierChains(this.ports);
    this.ownNode = new OwnNode(options.node, this.peers, this.book, this.ports, this.chains);
  }

  compile(cluster: Cluster, tiers: Tiers): NodeProgram {
    this.book.update(tiers);
    const rows = this.subjects.update(cluster, tiers);
    this.landmarks = landmarksOf(cluster, rulesIn(rows.values()), this.landmarks);
    this.ends.update(cluster, this.words.update(tiers), this.landmarks);
    this.peers.update(cluster);
    this.reaches.update();
    this.ports.update();
    this.tierChains.update();

    const walks = new Map<Subject, Record<Direction, readonly TierChain[]>>();
    const book = new Map<string, BookEntry>();
    for (const [subject, of] of rows)
      walks.set(subject, {
        egress: of.egress.map((row) => this.tierChain(row, subject, book)),
        ingress: of.ingress.map((row) => this.tierChain(row, subject, book)),
      });
    return this.assemble(cluster, rows, walks, book);
  }

  private tierChain(row: Row, subject: Subject, book: Map<string, BookEntry>): TierChain {
    const records = row.rules.map((rule) => this.book.of(rule));
    const isolation = this.book.isolationEntries(row.direction, row.tier, row.isolation);
    for (const { entry } of records) book.set(entry.id, entry);
    for (const entry of isolation) book.set(entry.id, entry);
    const reaches = records.map((record) => this.reaches.of(record, subject));
    return this.tierChains.of(reaches, isolation);
  }

  private assemble(
    cluster: Cluster,
    rows: ReadonlyMap<Subject, Rows>,
    walks: ReadonlyMap<Subject, Readonly<Record<Direction, readonly TierChain[]>>>,
    book: ReadonlyMap<string, BookEntry>,
  ): NodeProgram {
    const tiersInUse = new Set([...walks.values()].flatMap(({ egress, ingress }) => [...egress, ...ingress]));
    const identities = this.identities.of(
      new Set([...tiersInUse].flatMap((tier) => [...tier.verdicts.keys()])),
    );
    const sets = new Map<string, NamedSet>();
    const put = (name: string, set: NamedSet) => sets.set(name, this.sameAsBefore(name, set));
    for (const family of [4, 6] as const) {
      put(identityMaps.exact[family], this.exactIdentities(identities, family));
      put(identityMaps.ranges[family], this.rangeIdentities(identities, family));
      for (const direction of ["egress", "ingress"] as const)
        put(
          podMaps[direction][family],
          this.podMap(family, (subject) => this.classVerdict(direction, walks.get(subject)![direction])),
        );
      const binding = this.podMap(family, (subject) =>
        this.ownNode.verdictFor(subject, rows.get(subject)!, cluster, family),
      );
      if (sizeOf(binding) > 0) put(podMaps.ownNode[family], binding);
    }
    const maps = new Map([...tiersInUse].map((tier) => [tier.map, tier]));
    const reached = this.chains.reachedFrom([...sets.values()], (name) => {
      const tier = maps.get(name);
      return tier && this.sameAsBefore(name, verdictMap(tier, identities));
    });
    for (const [name, map] of reached.maps) sets.set(name, map);
    const names = this.names(rows);
    for (const name of names) for (const [setName, set] of kernelSets(name)) put(setName, set);
    this.sets = sets;
    const counters = new Set([...book.keys()].map(counterOf));
    return { ruleset: { chains: reached.chains, sets, counters }, book, names };
  }

  /** What a pod's packets walk through in one direction, a tier after the other. */
  private classVerdict(direction: Direction, walk: readonly TierChain[]): string {
    const tiers = walk.filter(({ verdicts, otherwise }) => verdicts.size > 0 || otherwise !== undefined);
    const end = allowing({ direction });
    if (tiers.length === 0) return end;
    const needsIdentity = tiers.some(({ verdicts }) => verdicts.size > 0);
    const jumps = tiers.map(({ map, verdicts, otherwise }) => {
      const lookup = verdicts.size > 0 ? [`meta priority vmap @${map}`] : [];
      return `jump ${this.chains.add("tier", [...lookup, ...(otherwise === undefined ? [] : [otherwise])])}`;
    });
    const identify = needsIdentity ? [`jump ${this.identifying(direction)}`] : [];
    return `goto ${this.chains.add("class", [...identify, ...jumps, end])}`;
  }

  /** Finds out who the other end is: the destination of what goes out, the source of what comes in. */
  private identifying(direction: Direction): string {
    const [original, reply] =
      direction === "egress" ? (["daddr", "saddr"] as const) : (["saddr", "daddr"] as const);
    const replies = this.chains.add("identity", ["meta priority set none", ...identityLookups(reply)]);
    return this.chains.add("identity", [
      `ct direction 1 goto ${replies}`,
      "meta priority set none",
      ...identityLookups(original),
    ]);
  }

  private podMap(family: Family, verdictOf: (subject: Subject) => string | undefined): NamedSet {
    const verdicts = new Map<Subject, string | undefined>();
    const elements = new Map<string, string>();
    for (const [pod, subject] of this.subjects.pods) {
      if (!verdicts.has(subject)) verdicts.set(subject, verdictOf(subject));
      const verdict = verdicts.get(subject);
      if (verdict === undefined) continue;
      for (const address of pod.addresses)
        if (address.family === family) elements.set(formatAddress(address), verdict);
    }
    return {
      kind: "map",
      type: `ipv${family}_addr : verdict`,
      flags: [],
      size: roomFor(elements.size, 1024),
      elements,
    };
  }

  private exactIdentities(identities: ReadonlyMap<End, string>, family: Family): NamedSet {
    const elements = new Map<string, string>();
    const claimed = new ClaimedAddresses(
      this.ends.ranges.filter((range) => range.family === family && identities.has(range.end)),
    );
    for (const { text, address, end } of this.ends.addresses.values()) {
      if (address.family !== family) continue;
      const identity = identities.get(end) ?? (claimed.has(address) ? somebody : undefined);
      if (identity !== undefined) elements.set(text, identity);
    }
    return {
      kind: "map",
      type: `ipv${family}_addr : classid`,
      flags: [],
      size: roomFor(elements.size, 16384),
      elements,
    };
  }

  private rangeIdentities(identities: ReadonlyMap<End, string>, family: Family): NamedSet {
    const elements = new Map<string, string>();
    for (const { family: own, first, last, end } of this.ends.ranges) {
      const identity = own === family ? identities.get(end) : undefined;
      if (identity !== undefined) elements.set(elementRange(family, first, last), identity);
    }
    return { kind: "map", type: `ipv${family}_addr : classid`, flags: ["interval"], elements };
  }

  private names(rows: ReadonlyMap<Subject, Rows>): readonly NameSet[] {
    const found = new Map<
      string,
      { readonly sets: ReturnType<typeof nameSetsOf>; readonly pods: Set<string> }
    >();
    for (const [pod, subject] of this.subjects.pods)
      for (const row of rows.get(subject)!.egress)
        for (const rule of row.rules)
          for (const peer of rule.peers) {
            if (peer.kind !== "domains" || this.book.of(rule).entry.verdict !== "Allow") continue;
            const sets = nameSetsOf(peer);
            const known = found.get(sets.fresh[4]) ?? { sets, pods: new Set() };
            for (const address of pod.addresses) known.pods.add(formatAddress(address));
            found.set(sets.fresh[4], known);
          }
    return [...found.keys()].toSorted().map((key) => {
      const { sets, pods } = found.get(key)!;
      return { ...sets, pods: [...pods].toSorted() };
    });
  }

  /** The very object of before, if it holds the same. */
  private sameAsBefore(name: string, set: NamedSet): NamedSet {
    const before = this.sets.get(name);
    return before !== undefined && isSameSet(before, set) ? before : set;
  }
}

function* rulesIn(all: Iterable<Rows>): Iterable<Rule> {
  const seen = new Set<Rule>();
  for (const { egress, ingress } of all)
    for (const row of [...egress, ...ingress])
      for (const rule of row.rules) {
        if (seen.has(rule)) continue;
        seen.add(rule);
        yield rule;
      }
}

function identityLookups(side: "saddr" | "daddr"): readonly string[] {
  const { exact, ranges } = identityMaps;
  return [
    `meta priority set ip ${side} map @${exact[4]}`,
    `meta priority set ip6 ${side} map @${exact[6]}`,
    `meta priority none meta priority set ip ${side} map @${ranges[4]}`,
    `meta priority none meta priority set ip6 ${side} map @${ranges[6]}`,
  ];
}

function verdictMap({ verdicts }: TierChain, identities: ReadonlyMap<End, string>): NamedSet {
  const elements = new Map<string, string>();
  for (const [end, verdict] of verdicts) elements.set(identities.get(end)!, verdict);
  return { kind: "map", type: "classid : verdict", flags: [], elements };
}

/** A size with room to grow: past it the kernel refuses elements, and another size needs another map. */
function roomFor(count: number, least: number): number {
  let size = least;
  while (size < count * 1.25) size *= 4;
  return size;
}

/** As nft prints it: a single address without its prefix. */
function elementRange(family: Family, first: bigint, last: bigint): string {
  return first === last ? formatAddress({ family, value: first }) : formatRange(family, first, last);
}

const sizeOf = ({ elements }: NamedSet): number => (elements === "learned" ? 0 : elements.size);

function isSameSet(a: NamedSet, b: NamedSet): boolean {
  if (a.kind !== b.kind || a.type !== b.type || a.size !== b.size || a.flags.join() !== b.flags.join())
    return false;
  if (a.elements === "learned" || b.elements === "learned") return a.elements === b.elements;
  if (a.elements.size !== b.elements.size) return false;
  for (const [key, value] of b.elements) if (a.elements.get(key) !== value) return false;
  return true;
}
