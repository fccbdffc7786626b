import type { Inventory, Rule, Tiers } from "@tierwall/core/model";
import { editedKeys } from "../ruleset/edited-elements.js";
import type { ModesOf, NodeOptions, NodeProgram } from "../ruleset/program.js";
import type { NamedSet } from "../ruleset/ruleset.js";
import { exactMaps } from "../ruleset/vocabulary.js";
import { ChainStore, type Reached } from "./chain-store.js";
import { type End, Ends } from "./ends.js";
import { Identities } from "./identities.js";
import { IdentityMaps } from "./identity-maps.js";
import { type Landmarks, landmarksOf } from "./landmarks.js";
import { kernelSets } from "./name-sets.js";
import { Namespaces } from "./namespaces.js";
import { OwnTiers } from "./own-tiers.js";
import { PodMaps } from "./pod-maps.js";
import { PeerReaches } from "./peer-reach.js";
import { type PodChanges, PodWatch } from "./pod-changes.js";
import { PortChains } from "./port-chains.js";
import { RuleBook } from "./rule-book.js";
import { type Rows, type Subject, Subjects } from "./subjects.js";
import { Terminals } from "./terminals.js";
import { TierLayouts } from "./tier-layouts.js";
import { type Walks, WalkMaker } from "./walks.js";
import { WordList } from "./words.js";

/*
 * A cluster and its tiers → what one node enforces.
 *
 *   pods of this node ─► Subjects ─► rows of rules, a tier each ────────────┐
 *   tiers ─► RuleBook (ids), WordList (what rules look at)                  ├─► WalkMaker: TierChains ─► PodMaps
 *   all pods, nodes, blocks ─► Landmarks ─► Ends ─► PeerReaches, RuleReaches ┘       │
 *                                             └─► Identities ────────────────────────┴─► IdentityMaps
 *
 * The program is a function of cluster, tiers and options alone. What is kept between two calls only saves work.
 */
export class NodeCompiler {
  private readonly chains = new ChainStore();
  private readonly ownTiers = new OwnTiers();
  private readonly podWatch = new PodWatch();
  private readonly book: RuleBook;
  private readonly words = new WordList();
  private readonly subjects: Subjects;
  private readonly ends: Ends;
  private readonly peers: PeerReaches;
  private readonly walkMaker: WalkMaker;
  private readonly podMaps: PodMaps;
  private readonly identities = new Identities();
  private readonly layouts = new TierLayouts(this.identities);
  private readonly identityMaps: Readonly<Record<4 | 6, IdentityMaps>>;
  private rows: ReadonlyMap<Subject, Rows> | undefined;
  private sharing: ReadonlySet<Subject> | undefined;
  private rules: ReadonlySet<Rule> = new Set();
  private landmarks: Landmarks | undefined;
  private walks: Walks | undefined;
  private made: { readonly sets: ReadonlyMap<string, NamedSet>; readonly reached: Reached } | undefined;

  constructor(options: NodeOptions, modesOf: ModesOf) {
    const namespaces = new Namespaces();
    this.book = new RuleBook(modesOf);
    this.subjects = new Subjects(options.node, namespaces);
    this.ends = new Ends(options.node, namespaces);
    this.peers = new PeerReaches(this.ends);
    const terminals = new Terminals(this.chains, options);
    const ports = new PortChains(this.chains, terminals, this.book);
    this.walkMaker = new WalkMaker(this.book, this.peers, this.ends, ports, this.chains, terminals);
    this.podMaps = new PodMaps(
      options.node,
      this.subjects,
      this.layouts,
      this.peers,
      this.book,
      ports,
      this.chains,
    );
    this.identityMaps = { 4: new IdentityMaps(this.ends, 4), 6: new IdentityMaps(this.ends, 6) };
  }

  compile(cluster: Inventory, given: Tiers): NodeProgram {
    const tiers = this.ownTiers.of(given);
    const program = this.compileOnce(cluster, tiers, this.podWatch.update(cluster.pods));
    // S1.17: which pods share an address is known once all ends are, and those of other nodes are subjects then.
    if (this.subjects.hasRivals(this.ends.rivals)) return program;
    return this.compileOnce(cluster, tiers, { come: [], gone: [] });
  }

  private compileOnce(cluster: Inventory, tiers: Tiers, changes: PodChanges): NodeProgram {
    this.book.update(tiers);
    const rows = this.subjects.update(cluster, tiers, changes, this.ends.rivals);
    if (rows !== this.rows) this.rules = rulesIn(rows);
    this.landmarks = landmarksOf(cluster, this.rules, this.landmarks);
    this.ends.update(cluster, this.words.update(tiers), this.landmarks, changes);
    const change = this.peers.update(cluster);
    const { sharing } = this.subjects;
    if (this.walks === undefined || rows !== this.rows || sharing !== this.sharing || change !== "same")
      this.walks = this.walkMaker.make(rows, sharing, change);
    this.rows = rows;
    this.sharing = sharing;
    return this.assemble(cluster, rows, this.walks);
  }

  private assemble(cluster: Inventory, rows: ReadonlyMap<Subject, Rows>, walks: Walks): NodeProgram {
    const identities = this.identities.of(walks.ends);
    const sets = new Map<string, NamedSet>();
    const put = (name: string, set: NamedSet) => sets.set(name, this.sameAsBefore(name, set));
    for (const [name, map] of this.podMaps.update(cluster, rows, walks, identities)) put(name, map);
    const reached = this.reachedFrom(sets, walks, identities);
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
    const names = this.podMaps.names(walks);
    for (const name of names) for (const [setName, set] of kernelSets(name)) put(setName, set);
    this.made = { sets, reached };
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
    podMaps: ReadonlyMap<string, NamedSet>,
    walks: Walks,
    identities: ReadonlyMap<End, string>,
  ): Reached {
    const { made } = this;
    const mapNamed = (name: string) => {
      const tier = walks.tiers.get(name);
      return tier && this.sameAsBefore(name, this.layouts.of(tier, identities).map);
    };
    const starts = this.chains.startsOf(podMaps.values());
    if (made === undefined || !isSameSetOf(starts, made.reached.starts))
      return this.chains.reachedFrom(starts, mapNamed);
    const maps = new Map<string, NamedSet>();
    for (const [name, before] of made.reached.maps) {
      const map = mapNamed(name);
      if (map === undefined || !this.chains.leadToTheSame(map, before))
        return this.chains.reachedFrom(starts, mapNamed);
      maps.set(name, map);
    }
    return { ...made.reached, maps };
  }

  /** The very object of before, if it holds the same. */
  private sameAsBefore(name: string, set: NamedSet): NamedSet {
    const before = this.made?.sets.get(name);
    return before !== undefined && isSameSet(before, set) ? before : set;
  }
}

function rulesIn(rows: ReadonlyMap<Subject, Rows>): ReadonlySet<Rule> {
  const found = new Set<Rule>();
  for (const { egress, ingress } of rows.values())
    for (const row of [...egress, ...ingress]) for (const rule of row.rules) found.add(rule);
  return found;
}

const isSameSetOf = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((value) => b.has(value));

function isSameSet(a: NamedSet, b: NamedSet): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.type !== b.type || a.size !== b.size || a.flags.join() !== b.flags.join())
    return false;
  if (a.elements === b.elements) return true;
  if (a.elements === "learned" || b.elements === "learned") return false;
  if (a.elements.size !== b.elements.size) return false;
  const { elements } = a;
  const keys = editedKeys(elements, b.elements);
  if (keys !== undefined) {
    const { elements: others } = b;
    return keys.every((key) => elements.get(key) === others.get(key));
  }
  for (const [key, value] of b.elements) if (elements.get(key) !== value) return false;
  return true;
}
