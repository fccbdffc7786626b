import {
  type Direction,
  type Endpoint,
  type Family,
  formatAddress,
  type Inventory,
  type Node,
  type Pod,
  podKey,
  type Rule,
} from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";
import type { NameSet } from "../../ruleset/program.js";
import type { NamedSet } from "../../ruleset/ruleset.js";
import { podMaps } from "../../ruleset/vocabulary.js";
import type { End } from "../endpoints/end-store.js";
import { roomFor } from "../content-name.js";
import type { NameSets } from "../rules/name-sets.js";
import type { PeerReaches } from "../rules/peer-reach.js";
import type { RuleBook, RuleRecord } from "../rules/rule-book.js";
import { type Item, plainPorts } from "../rules/rule-reach.js";
import type { Rows, Subject, Subjects } from "../rules/subjects.js";
import type { ChainStore } from "./chain-store.js";
import { ClassChains } from "./class-chains.js";
import type { PortChains } from "./port-chains.js";
import type { Ending } from "./terminals.js";
import type { TierChain } from "./tier-chains.js";
import type { TierLayouts } from "./tier-layouts.js";
import type { Walks } from "./walks.js";

/** The verdicts with which packets of the pods of a subject begin. */
interface Starts {
  readonly egress: string;
  readonly ingress: string;
  /** S1.17: for ingress of pods that share an address, in a walk that is not the last one. */
  readonly shared: string | undefined;
  /** What rules deny to the node itself. */
  readonly ownNode: Denials;
}

/** The maps from each pod of this node to the start of its walk. */
export class PodMaps {
  private readonly classChains: ClassChains;
  private readonly ownNode: OwnNode;

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

  make(
    cluster: Inventory,
    rows: ReadonlyMap<Subject, Rows>,
    walks: Walks,
    identities: ReadonlyMap<End, string>,
  ): ReadonlyMap<string, NamedSet> {
    const starts = new Map<Subject, Starts>();
    const startOf = (direction: Direction, tiers: readonly TierChain[], ending?: Ending) => {
      const walk = tiers.map((tier) => this.layouts.of(tier, identities));
      return this.classChains.verdictFor(direction, walk, ending);
    };
    for (const [subject, { egress, ingress }] of walks.chains) {
      const shared = walks.shared.get(subject);
      starts.set(subject, {
        egress: startOf("egress", egress),
        ingress: startOf("ingress", ingress),
        shared: shared && startOf("ingress", shared, "leave"),
        ownNode: this.ownNode.denialsFor(subject, rows.get(subject)!, cluster),
      });
    }
    return this.maps(starts);
  }

  /** The domain names that rules for pods of this node allow, and the pods. */
  names({ names }: Walks): readonly NameSet[] {
    if (names.size === 0) return [];
    const found = new Map<string, { readonly sets: NameSets; readonly pods: Set<string> }>();
    const { pods: local, rivals } = this.subjects;
    const add = (subject: Subject, addresses: readonly string[]) => {
      for (const sets of names.get(subject) ?? []) {
        const { pods } = getOrInsert(found, sets.fresh[4], () => ({ sets, pods: new Set<string>() }));
        for (const address of addresses) pods.add(address);
      }
    };
    for (const [pod, subject] of local) add(subject, pod.addresses.map(formatAddress));
    if (rivals.size > 0) {
      const own = new Set([...local.keys()].flatMap(({ addresses }) => addresses.map(formatAddress)));
      for (const [pod, subject] of rivals)
        add(
          subject,
          pod.addresses.map(formatAddress).filter((address) => own.has(address)),
        );
    }
    return [...found.keys()].toSorted().map((key) => {
      const { sets, pods } = found.get(key)!;
      return { ...sets, pods: [...pods].toSorted() };
    });
  }

  private maps(starts: ReadonlyMap<Subject, Starts>): ReadonlyMap<string, NamedSet> {
    const maps = new Map<string, NamedSet>();
    for (const family of [4, 6] as const) {
      const startsAt = this.startsAt(starts, family);
      for (const kind of ["egress", "ingress", "ownNode"] as const) {
        const elements = new Map<string, string>();
        for (const [address, all] of startsAt) {
          const verdict = this.verdictAt(kind, [...all], family);
          if (verdict !== undefined) elements.set(address, verdict);
        }
        const size = roomFor(elements.size, 1024);
        if (kind !== "ownNode" || elements.size > 0)
          maps.set(podMaps[kind][family], {
            kind: "map",
            type: `ipv${family}_addr : verdict`,
            flags: [],
            size,
            elements,
          });
      }
    }
    return maps;
  }

  /**
   * By address: the starts of the pods that have it, in an order that depends only on the pods. Pods of one subject, such as
   * replicas that share an address, have the same start, which is listed once.
   */
  private startsAt(
    starts: ReadonlyMap<Subject, Starts>,
    family: Family,
  ): ReadonlyMap<string, ReadonlySet<Starts>> {
    const found = new Map<string, Set<Starts>>();
    const byName = (pods: ReadonlyMap<Pod, Subject>) =>
      [...pods].toSorted(([a], [b]) => (podKey(a) < podKey(b) ? 1 : -1));
    const textsOf = ({ addresses }: Pod) =>
      addresses.flatMap((address) => (address.family === family ? [formatAddress(address)] : []));
    for (const [pod, subject] of byName(this.subjects.pods))
      for (const text of textsOf(pod)) getOrInsert(found, text, () => new Set()).add(starts.get(subject)!);
    // Of a pod on another node, only the addresses that it shares with a pod of this node.
    for (const [pod, subject] of byName(this.subjects.rivals))
      for (const text of textsOf(pod)) found.get(text)?.add(starts.get(subject)!);
    return found;
  }

  private verdictAt(
    kind: "egress" | "ingress" | "ownNode",
    all: readonly Starts[],
    family: Family,
  ): string | undefined {
    const [only] = all;
    if (kind === "ownNode") return this.ownNode.verdictFor(all.map(({ ownNode }) => ownNode[family]));
    if (all.length === 1) return only![kind];
    const walks = all.map((start) => ({
      first: kind === "egress" ? start.egress : start.shared!,
      last: start[kind],
    }));
    return this.classChains.inTurn(walks) ?? only![kind];
  }
}

type Denials = Readonly<Record<Family, string | undefined>>;

/** S1.6, S7.8: what rules deny to the node itself. It is allowed everything else. */
class OwnNode {
  constructor(
    private readonly node: string,
    private readonly peers: PeerReaches,
    private readonly book: RuleBook,
    private readonly ports: PortChains,
    private readonly chains: ChainStore,
  ) {}

  /** The verdict for packets of the node; undefined if no rule applies to it. `denials`: of each pod that has the address (S1.17). */
  verdictFor(denials: readonly (string | undefined)[]): string | undefined {
    const known = [...new Set(denials.filter((denial) => denial !== undefined))];
    return known.length === 0 ? undefined : `goto ${this.chains.add("own", [...known, "goto stamp"])}`;
  }

  /** The chain that denies the node something for one subject, by family; undefined if there is none. */
  denialsFor(subject: Subject, { ingress }: Rows, cluster: Inventory): Denials {
    const binding = ingress.flatMap(({ rules }) => rules.filter((rule) => rule.bindsOwnNode));
    const denial = (family: Family) => this.denial(subject, binding, cluster, family);
    return binding.length === 0 ? { 4: undefined, 6: undefined } : { 4: denial(4), 6: denial(6) };
  }

  private denial(subject: Subject, binding: readonly Rule[], cluster: Inventory, family: Family) {
    const self = this.endpoint(cluster, family);
    const items = binding.flatMap((rule) => this.item(this.book.of(rule), subject, self, family) ?? []);
    const denying = this.ports.compute(items, []);
    return denying?.replace("goto ", "jump ");
  }

  private item(record: RuleRecord, subject: Subject, self: Endpoint, family: Family): Item | undefined {
    const matches = record.rule.peers.some((peer) => this.peers.ask(peer, subject, self, family) !== "no");
    const ports = plainPorts(record.rule.ports, subject.sample);
    if (!matches || (ports !== "every" && ports.length === 0)) return undefined;
    return { record, number: 0, ports, names: [], uncertain: false };
  }

  private endpoint(cluster: Inventory, family: Family): Endpoint {
    const node: Node = cluster.nodes.get(this.node) ?? { name: this.node, addresses: [] };
    const address = node.addresses.find((own) => own.family === family);
    return { kind: "node", node, ...(address === undefined ? {} : { address }) };
  }
}
