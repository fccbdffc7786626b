import type { Inventory, Rule, Tiers } from "@tierwall/core/model";
import type { ModesOf, NodeOptions, NodeProgram } from "../ruleset/program.js";
import type { NamedSet } from "../ruleset/ruleset.js";
import { sameSet } from "../ruleset/equality.js";
import { exactMaps } from "../ruleset/vocabulary.js";
import { ChainStore, type Reached } from "./chains/chain-store.js";
import { PodMaps } from "./chains/pod-maps.js";
import { PortChains } from "./chains/port-chains.js";
import { Terminals } from "./chains/terminals.js";
import { TierLayouts } from "./chains/tier-layouts.js";
import { type Walks, WalkMaker } from "./chains/walks.js";
import { type AddressVocabulary, addressVocabularyOf } from "./endpoints/address-vocabulary.js";
import type { End } from "./endpoints/end-store.js";
import { Ends } from "./endpoints/ends.js";
import { Identities, IdentityMaps } from "./endpoints/identity-maps.js";
import { emptyVocabulary, peerVocabularyOf } from "./endpoints/peer-vocabulary.js";
import { noPodChanges, type PodChanges, PodWatch } from "./endpoints/pod-changes.js";
import { kernelSets } from "./rules/name-sets.js";
import { ownTiers, RuleBook } from "./rules/rule-book.js";
import { PeerReaches } from "./rules/peer-reach.js";
import { type Rows, type Subject, Subjects } from "./rules/subjects.js";

/** What is kept between compilations while rules and ends change incrementally. */
interface Kept {
  readonly chains: ChainStore;
  readonly peers: PeerReaches;
  readonly walkMaker: WalkMaker;
  readonly podMaps: PodMaps;
  walks: Walks | undefined;
  changes: number;
}

/** After this many changes everything is compiled again, which frees what no rule needs any more. */
const mostChanges = 100;

/*
 * A cluster and its tiers → what one node enforces.
 *
 *   pods of this node ─► Subjects ─► rows of rules, one per tier ─────────────────┐
 *   tiers ─► RuleBook (ids), peerVocabularyOf (properties that rules use)         ├─► WalkMaker: TierChains ─► PodMaps
 *   all pods, nodes ─► addressVocabularyOf ─► Ends ─► PeerReaches, RuleReaches ───┘       │
 *                                              └─► Identities ────────────────────────────┴─► IdentityMaps
 *
 * The program depends only on cluster, tiers and options. What is kept between two calls only saves work.
 */
export class NodeCompiler {
  private readonly podWatch = new PodWatch();
  private readonly book: RuleBook;
  private readonly subjects: Subjects;
  private readonly ends: Ends;
  private readonly identities = new Identities();
  private readonly layouts = new TierLayouts(this.identities);
  private readonly identityMaps: Readonly<Record<4 | 6, IdentityMaps>>;
  private tiers: Tiers | undefined;
  private words = emptyVocabulary;
  private addresses: AddressVocabulary | undefined;
  private rows: ReadonlyMap<Subject, Rows> | undefined;
  private sharing: ReadonlySet<Subject> | undefined;
  private rules: ReadonlySet<Rule> = new Set();
  private kept: Kept | undefined;
  /** Of the last program. */
  private sets: ReadonlyMap<string, NamedSet> = new Map();

  constructor(
    private readonly options: NodeOptions,
    modesOf: ModesOf,
  ) {
    this.book = new RuleBook(modesOf);
    this.subjects = new Subjects(options.node);
    this.ends = new Ends(options.node);
    this.identityMaps = { 4: new IdentityMaps(this.ends, 4), 6: new IdentityMaps(this.ends, 6) };
  }

  compile(cluster: Inventory, given: Tiers): NodeProgram {
    const tiers = ownTiers(given);
    const program = this.compileOnce(cluster, tiers, this.podWatch.update(cluster.pods));
    // S1.17: which pods share an address is known only after all ends are; then pods of other nodes become subjects.
    if (this.subjects.hasRivals(this.ends.rivals)) return program;
    return this.compileOnce(cluster, tiers, noPodChanges);
  }

  private compileOnce(cluster: Inventory, tiers: Tiers, changes: PodChanges): NodeProgram {
    this.book.update(tiers);
    const rows = this.subjects.update(cluster, tiers, changes, this.ends.rivals);
    if (rows !== this.rows) this.rules = rulesIn(rows);
    if (tiers !== this.tiers) this.words = peerVocabularyOf(cluster, tiers, this.words);
    this.tiers = tiers;
    this.addresses = addressVocabularyOf(cluster, this.rules, this.addresses);
    this.ends.update({ cluster, words: this.words, addresses: this.addresses }, changes);
    const { sharing } = this.subjects;
    const areRowsSame = rows === this.rows && sharing === this.sharing;
    this.rows = rows;
    this.sharing = sharing;
    const kept = this.upToDate(cluster, areRowsSame);
    kept.walks ??= kept.walkMaker.make(rows, sharing);
    return this.assemble(cluster, rows, kept, kept.walks);
  }

  /** What is kept only grows. It is replaced when it is no longer valid, or after many changes. */
  private upToDate(cluster: Inventory, areRowsSame: boolean): Kept {
    const { kept, ends } = this;
    if (kept === undefined || !kept.peers.holdFor(cluster) || kept.changes >= mostChanges)
      return (this.kept = this.begin(cluster));
    kept.peers.update(cluster);
    const areEndsSame = ends.come.isEmpty && ends.gone.size === 0;
    if (!areEndsSame) kept.walkMaker.grow();
    if (areEndsSame && areRowsSame) return kept;
    kept.changes++;
    kept.walks = undefined;
    return kept;
  }

  private begin(cluster: Inventory): Kept {
    const { options, book, ends, subjects, layouts } = this;
    const chains = new ChainStore();
    const peers = new PeerReaches(cluster, ends);
    const terminals = new Terminals(chains, options);
    const ports = new PortChains(chains, terminals, book);
    const walkMaker = new WalkMaker(book, peers, ends, ports, terminals);
    const podMaps = new PodMaps(options.node, subjects, layouts, peers, book, ports, chains);
    return { chains, peers, walkMaker, podMaps, walks: undefined, changes: 0 };
  }

  private assemble(
    cluster: Inventory,
    rows: ReadonlyMap<Subject, Rows>,
    { chains, podMaps }: Kept,
    walks: Walks,
  ): NodeProgram {
    const identities = this.identities.of(walks.ends);
    const sets = new Map<string, NamedSet>();
    const put = (name: string, set: NamedSet) => sets.set(name, this.sameAsBefore(name, set));
    for (const [name, map] of podMaps.make(cluster, rows, walks, identities)) put(name, map);
    const reached = this.reachedFrom(chains, sets, walks, identities);
    for (const [name, map] of reached.maps) sets.set(name, map);
    const [named, local] = [
      { 4: "", 6: "" },
      { 4: "", 6: "" },
    ];
    for (const family of [4, 6] as const) {
      const made = this.identityMaps[family].update(identities, this.identities.changed);
      put(exactMaps[family], made.exact);
      put(made.ranges.name, made.ranges.map);
      put(made.local.name, made.local.map);
      named[family] = made.ranges.name;
      local[family] = made.local.name;
    }
    const names = podMaps.names(walks);
    for (const name of names) for (const [setName, set] of kernelSets(name)) put(setName, set);
    this.sets = sets;
    return {
      ruleset: { chains: reached.chains, sets, counters: walks.counters },
      book: walks.book,
      ranges: named,
      local,
      sharedAddresses: this.ends.shared,
      names,
    };
  }

  private reachedFrom(
    chains: ChainStore,
    podMaps: ReadonlyMap<string, NamedSet>,
    walks: Walks,
    identities: ReadonlyMap<End, string>,
  ): Reached {
    const mapNamed = (name: string) => {
      const tier = walks.tiers.get(name);
      return tier && this.sameAsBefore(name, this.layouts.of(tier, identities).map);
    };
    return chains.reachedFrom(podMaps.values(), mapNamed);
  }

  /** The previous object, if it has the same contents. */
  private sameAsBefore(name: string, set: NamedSet): NamedSet {
    const before = this.sets.get(name);
    return before !== undefined && sameSet(before, set) ? before : set;
  }
}

function rulesIn(rows: ReadonlyMap<Subject, Rows>): ReadonlySet<Rule> {
  const found = new Set<Rule>();
  for (const { egress, ingress } of rows.values())
    for (const row of [...egress, ...ingress]) for (const rule of row.rules) found.add(rule);
  return found;
}
