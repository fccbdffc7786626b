import {
  type Cluster,
  type Direction,
  type Family,
  formatAddress,
  podKey,
  type Rule,
  type Tiers,
} from "@tierwall/core";
import type { BookEntry, ModesOf, NameSet, NodeOptions, NodeProgram } from "../ruleset/program.js";
import type { NamedSet } from "../ruleset/ruleset.js";
import { counterOf, identityMaps, podMaps } from "../ruleset/vocabulary.js";
import { ChainStore } from "./chain-store.js";
import { ClassChains } from "./class-chains.js";
import { type End, Ends } from "./ends.js";
import { Identities } from "./identities.js";
import { identityMapsOf } from "./identity-maps.js";
import { type Landmarks, landmarksOf } from "./landmarks.js";
import { roomFor } from "./map-size.js";
import { kernelSets, nameSetsOf } from "./name-sets.js";
import { Namespaces } from "./namespaces.js";
import { OwnNode } from "./own-node.js";
import { PeerReaches } from "./peer-reach.js";
import { PodWatch } from "./pod-changes.js";
import { PortChains } from "./port-chains.js";
import { RuleBook } from "./rule-book.js";
import { RuleReaches } from "./rule-reach.js";
import { type Row, type Rows, type Subject, Subjects } from "./subjects.js";
import { Terminals } from "./terminals.js";
import { type TierChain, TierChains } from "./tier-chains.js";
import { WordList } from "./words.js";

/*
 * A cluster and its tiers → what one node enforces.
 *
 *   pods of this node ─► Subjects ─► rows of rules, a tier each ────────────┐
 *   tiers ─► RuleBook (ids), WordList (what rules look at)                  ├─► TierChains ─► ClassChains
 *   all pods, nodes, blocks ─► Landmarks ─► Ends ─► PeerReaches, RuleReaches ┘       │
 *                                             └─► Identities ────────────────────────┴─► maps
 *
 * The program is a function of cluster, tiers and options alone. What is kept between two calls only saves work.
 */
export class NodeCompiler {
  private readonly chains = new ChainStore();
  private readonly podWatch = new PodWatch();
  private readonly book: RuleBook;
  private readonly words = new WordList();
  private readonly subjects: Subjects;
  private readonly ends: Ends;
  private readonly peers: PeerReaches;
  private readonly reaches: RuleReaches;
  private readonly ports: PortChains;
  private readonly tierChains: TierChains;
  private readonly classChains = new ClassChains(this.chains);
  private readonly ownNode: OwnNode;
  private readonly identities = new Identities();
  private readonly tierMaps = new WeakMap<
    TierChain,
    { identities: ReadonlyMap<End, string>; map: NamedSet }
  >();
  private last:
    | { cluster: Cluster; rows: ReadonlyMap<Subject, Rows>; landmarks: Landmarks; walks: Walks }
    | undefined;
  private sets: ReadonlyMap<string, NamedSet> = new Map();

  constructor(options: NodeOptions, modesOf: ModesOf) {
    const namespaces = new Namespaces();
    this.book = new RuleBook(modesOf);
    this.subjects = new Subjects(options.node, namespaces);
    this.ends = new Ends(options.node, namespaces);
    this.peers = new PeerReaches(this.ends);
    this.reaches = new RuleReaches(this.peers, this.ends);
    this.ports = new PortChains(this.chains, new Terminals(this.chains, options), this.book);
    this.tierChains = new TierChains(this.ports);
    this.ownNode = new OwnNode(options.node, this.peers, this.book, this.ports, this.chains);
  }

  compile(cluster: Cluster, tiers: Tiers): NodeProgram {
    const changes = this.podWatch.update(cluster.pods);
    this.book.update(tiers);
    const rows = this.subjects.update(cluster, tiers, changes);
    const landmarks = landmarksOf(cluster, rulesIn(rows.values()), this.last?.landmarks);
    this.ends.update(cluster, this.words.update(tiers), landmarks, changes);
    const isSame = this.peers.update(cluster) && rows === this.last?.rows;
    const walks = isSame ? this.last!.walks : this.peers.renew(() => this.walksOf(rows));
    this.last = { cluster, rows, landmarks, walks };
    return this.assemble(cluster, rows, walks);
  }

  private walksOf(rows: ReadonlyMap<Subject, Rows>): Walks {
    this.reaches.update();
    this.ports.update();
    this.tierChains.update();
    const book = new Map<string, BookEntry>();
    const chains = new Map<Subject, Record<Direction, readonly TierChain[]>>();
    for (const [subject, of] of rows)
      chains.set(subject, {
        egress: of.egress.map((row) => this.tierChain(row, subject, book)),
        ingress: of.ingress.map((row) => this.tierChain(row, subject, book)),
      });
    const tiers = new Set([...chains.values()].flatMap(({ egress, ingress }) => [...egress, ...ingress]));
    const ends = new Set<End>();
    for (const { verdicts } of tiers) for (const end of verdicts.keys()) ends.add(end);
    return {
      chains,
      tiers: new Map([...tiers].map((tier) => [tier.map, tier])),
      ends,
      book,
      counters: new Set([...book.keys()].map(counterOf)),
    };
  }

  private tierChain(row: Row, subject: Subject, book: Map<string, BookEntry>): TierChain {
    const isolation = this.book.isolationEntries(row.direction, row.tier, row.isolation);
    for (const entry of isolation) book.set(entry.id, entry);
    const reaches = row.rules.map((rule) => {
      const record = this.book.of(rule);
      book.set(record.entry.id, record.entry);
      return this.reaches.of(record, subject);
    });
    return this.tierChains.of(reaches, isolation);
  }

  private assemble(cluster: Cluster, rows: ReadonlyMap<Subject, Rows>, walks: Walks): NodeProgram {
    const identities = this.identities.of(walks.ends);
    const sets = new Map<string, NamedSet>();
    const put = (name: string, set: NamedSet) => sets.set(name, this.sameAsBefore(name, set));
    for (const family of [4, 6] as const) {
      const { exact, ranges } = identityMapsOf(this.ends, identities, family);
      put(identityMaps.exact[family], exact);
      put(identityMaps.ranges[family], ranges);
      for (const direction of ["egress", "ingress"] as const)
        put(
          podMaps[direction][family],
          this.podMap(family, (subject) =>
            this.classChains.verdictFor(direction, walks.chains.get(subject)![direction]),
          ),
        );
      const binding = this.podMap(family, (subject) =>
        this.ownNode.verdictFor(subject, rows.get(subject)!, cluster, family),
      );
      if (binding.elements !== "learned" && binding.elements.size > 0) put(podMaps.ownNode[family], binding);
    }
    const reached = this.chains.reachedFrom([...sets.values()], (name) => {
      const tier = walks.tiers.get(name);
      return tier && this.sameAsBefore(name, this.tierMap(tier, identities));
    });
    for (const [name, map] of reached.maps) sets.set(name, map);
    const names = this.names(rows);
    for (const name of names) for (const [setName, set] of kernelSets(name)) put(setName, set);
    this.sets = sets;
    return { ruleset: { chains: reached.chains, sets, counters: walks.counters }, book: walks.book, names };
  }

  private tierMap(tier: TierChain, identities: ReadonlyMap<End, string>): NamedSet {
    const known = this.tierMaps.get(tier);
    if (known?.identities === identities) return known.map;
    const elements = new Map<string, string>();
    for (const [end, verdict] of tier.verdicts) elements.set(identities.get(end)!, verdict);
    const map: NamedSet = { kind: "map", type: "classid : verdict", flags: [], elements };
    this.tierMaps.set(tier, { identities, map });
    return map;
  }

  private podMap(family: Family, verdictOf: (subject: Subject) => string | undefined): NamedSet {
    const verdicts = new Map<Subject, string | undefined>();
    const elements = new Map<string, string>();
    // Where two pods claim an address, the first by name has it.
    const pods = [...this.subjects.pods].toSorted(([a], [b]) => (podKey(a) < podKey(b) ? 1 : -1));
    for (const [pod, subject] of pods) {
      if (!verdicts.has(subject)) verdicts.set(subject, verdictOf(subject));
      const verdict = verdicts.get(subject);
      for (const address of pod.addresses)
        if (address.family === family && verdict !== undefined) elements.set(formatAddress(address), verdict);
    }
    const size = roomFor(elements.size, 1024);
    return { kind: "map", type: `ipv${family}_addr : verdict`, flags: [], size, elements };
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

/** What all pods of this node walk through. */
interface Walks {
  readonly chains: ReadonlyMap<Subject, Readonly<Record<Direction, readonly TierChain[]>>>;
  /** By the names of their maps. */
  readonly tiers: ReadonlyMap<string, TierChain>;
  /** Those who are told apart. */
  readonly ends: ReadonlySet<End>;
  readonly book: ReadonlyMap<string, BookEntry>;
  readonly counters: ReadonlySet<string>;
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

function isSameSet(a: NamedSet, b: NamedSet): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.type !== b.type || a.size !== b.size || a.flags.join() !== b.flags.join())
    return false;
  if (a.elements === "learned" || b.elements === "learned") return a.elements === b.elements;
  if (a.elements.size !== b.elements.size) return false;
  for (const [key, value] of b.elements) if (a.elements.get(key) !== value) return false;
  return true;
}
