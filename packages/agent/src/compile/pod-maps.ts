import { type Cluster, type Direction, type Family, formatAddress, podKey } from "@tierwall/core";
import type { NameSet } from "../ruleset/program.js";
import type { NamedSet } from "../ruleset/ruleset.js";
import { podMaps } from "../ruleset/vocabulary.js";
import type { ChainStore } from "./chain-store.js";
import { ClassChains } from "./class-chains.js";
import type { End } from "./ends.js";
import { roomFor } from "./map-size.js";
import type { NameSets } from "./name-sets.js";
import { OwnNode } from "./own-node.js";
import type { PeerReaches } from "./peer-reach.js";
import type { PortChains } from "./port-chains.js";
import type { RuleBook } from "./rule-book.js";
import type { Rows, Subject, Subjects } from "./subjects.js";
import type { TierLayouts } from "./tier-layouts.js";
import type { Walks } from "./walks.js";

/** Where packets of each pod of this node begin their walk. */
export class PodMaps {
  private readonly classChains: ClassChains;
  private readonly ownNode: OwnNode;
  private made:
    | {
        readonly walks: Walks;
        readonly identities: ReadonlyMap<End, string>;
        readonly cluster: Cluster;
        readonly maps: ReadonlyMap<string, NamedSet>;
      }
    | undefined;

  constructor(
    node: string,
    private readonly subjects: Subjects,
    private readonly layouts: TierLayouts,
    peers: PeerReaches,
    book: RuleBook,
    ports: PortChains,
    chains: ChainStore,
  ) {
    this.classChains = new ClassChains(chains);
    this.ownNode = new OwnNode(node, peers, book, ports, chains);
  }

  update(
    cluster: Cluster,
    rows: ReadonlyMap<Subject, Rows>,
    walks: Walks,
    identities: ReadonlyMap<End, string>,
  ): ReadonlyMap<string, NamedSet> {
    const { made } = this;
    const isSame = made?.walks === walks && made.identities === identities && !this.subjects.changed;
    if (isSame && isSameForNode(made.cluster, cluster)) return made.maps;
    const verdictOf = (direction: Direction, subject: Subject) => {
      const walk = walks.chains.get(subject)![direction];
      return this.classChains.verdictFor(
        direction,
        walk.map((tier) => this.layouts.of(tier, identities)),
      );
    };
    const maps = new Map<string, NamedSet>();
    for (const family of [4, 6] as const) {
      for (const direction of ["egress", "ingress"] as const)
        maps.set(
          podMaps[direction][family],
          this.map(family, (subject) => verdictOf(direction, subject)),
        );
      const binding = this.map(family, (subject) =>
        this.ownNode.verdictFor(subject, rows.get(subject)!, cluster, family),
      );
      if (binding.elements !== "learned" && binding.elements.size > 0)
        maps.set(podMaps.ownNode[family], binding);
    }
    this.made = { walks, identities, cluster, maps };
    return maps;
  }

  /** The names that pods of this node may talk to, and who of them. */
  names({ names }: Walks): readonly NameSet[] {
    if (names.size === 0) return [];
    const found = new Map<string, { readonly sets: NameSets; readonly pods: Set<string> }>();
    for (const [pod, subject] of this.subjects.pods)
      for (const sets of names.get(subject) ?? []) {
        const known = found.get(sets.fresh[4]) ?? { sets, pods: new Set() };
        for (const address of pod.addresses) known.pods.add(formatAddress(address));
        found.set(sets.fresh[4], known);
      }
    return [...found.keys()].toSorted().map((key) => {
      const { sets, pods } = found.get(key)!;
      return { ...sets, pods: [...pods].toSorted() };
    });
  }

  private map(family: Family, verdictOf: (subject: Subject) => string | undefined): NamedSet {
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
}

/** Whether all that rules which bind the node look at is the same. */
const isSameForNode = (a: Cluster, b: Cluster): boolean =>
  a.nodes === b.nodes && a.facts === b.facts && a.services === b.services && a.cidrGroups === b.cidrGroups;
