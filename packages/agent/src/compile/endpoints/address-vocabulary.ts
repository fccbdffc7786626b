import { AddressAtoms, serviceKey, serviceTargets, type SettledPeer } from "@tierwall/core/engine";
import {
  type Address,
  type Cidr,
  formatCidr,
  type Inventory,
  type Node,
  parseCidr,
  type Peer,
  type Pod,
  type Rule,
  singleAddress,
} from "@tierwall/core/model";

/**
 * The CIDR blocks that rules for pods of this node mention. Rules do not distinguish addresses in the same blocks, so an address can
 * be replaced by the list of blocks that contain it.
 */
export interface AddressVocabulary {
  /** The inputs. */
  readonly cluster: Inventory;
  readonly rules: ReadonlySet<Rule>;
  /** Blocks that distinguish pods. */
  readonly ofPods: Blocks;
  /** Blocks that distinguish nodes and external addresses. */
  readonly ofOthers: Blocks;
  /** S7.11: the Services in rules of which a pod is a backend. */
  readonly services: ReadonlyMap<Pod, string>;
  /** Whether rules mention any Services. */
  readonly mentionsServices: boolean;
}

export class Blocks {
  private readonly atoms: AddressAtoms;
  /** By atom. */
  private readonly around: readonly string[];

  constructor(readonly cidrs: ReadonlyMap<string, Cidr>) {
    this.atoms = new AddressAtoms(cidrs.values());
    const around = Array.from({ length: this.atoms.count }, (): string[] => []);
    for (const [text, cidr] of [...cidrs].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const [from, to] = this.atoms.rangeOf(cidr);
      for (let atom = from; atom < to; atom++) around[atom]!.push(text);
    }
    this.around = around.map((texts) => texts.join());
  }

  /** The blocks that contain an address, as a text. */
  aroundAddress(address: Address): string {
    return this.cidrs.size === 0 ? "" : this.around[this.atoms.indexOf(address)]!;
  }
}

/** Reuses `before`, or parts of it, if nothing changed. */
export function addressVocabularyOf(
  cluster: Inventory,
  rules: ReadonlySet<Rule>,
  before: AddressVocabulary | undefined,
): AddressVocabulary {
  if (before?.rules === rules && isSameFor(before, cluster)) return before;
  const ofPods = new Map<string, Cidr>();
  const ofOthers = new Map<string, Cidr>();
  const services = new Map<Pod, string>();
  const seen = new Set<string>();
  for (const { peers } of rules)
    for (const peer of peers) {
      for (const cidr of blocksOfPeer(cluster, peer)) {
        const text = formatCidr(cidr);
        ofOthers.set(text, cidr);
        if (distinguishesPods(peer)) ofPods.set(text, cidr);
      }
      if (peer.kind !== "endpoints" || seen.has(serviceKey(peer.services))) continue;
      seen.add(serviceKey(peer.services));
      for (const pod of serviceTargets(cluster, peer.services).pods)
        services.set(pod, `${services.get(pod) ?? ""}${serviceKey(peer.services)}`);
    }
  return {
    cluster,
    rules,
    ofPods: sameKeys(ofPods, before?.ofPods.cidrs) ? before!.ofPods : new Blocks(ofPods),
    ofOthers: sameKeys(ofOthers, before?.ofOthers.cidrs) ? before!.ofOthers : new Blocks(ofOthers),
    services: before !== undefined && sameEntries(services, before.services) ? before.services : services,
    mentionsServices: seen.size > 0,
  };
}

/** Pods matter only to rules with Services, which have pods as backends. */
const isSameFor = ({ cluster: before, mentionsServices }: AddressVocabulary, cluster: Inventory): boolean =>
  before.facts === cluster.facts &&
  before.cidrGroups === cluster.cidrGroups &&
  (!mentionsServices || (before.services === cluster.services && before.pods === cluster.pods));

const distinguishesPods = (peer: Peer): boolean =>
  (peer.kind === "networks" || peer.kind === "domains") && peer.reach === "every-address";

/** S7.13: entities that are external addresses of one family. */
const everyAddressOf: Partial<Record<string, readonly Cidr[]>> = {
  "world-ipv4": [parseCidr("0.0.0.0/0")!],
  "world-ipv6": [parseCidr("::/0")!],
};

/** All blocks on which a peer depends. */
export function blocksOfPeer(cluster: Inventory, peer: SettledPeer | Peer): readonly Cidr[] {
  const { facts, cidrGroups } = cluster;
  switch (peer.kind) {
    case "networks":
      return [...peer.cidrs, ...peer.except];
    case "cidr-group":
      return [...peer.except, ...cidrGroups.flatMap(({ cidrs }) => cidrs)];
    case "domains":
      return (facts.dns ?? []).flatMap(({ addresses }) => addresses.map(singleAddress));
    case "entity":
      return [
        ...(everyAddressOf[peer.entity] ?? []),
        ...(peer.entity === "kube-apiserver" || peer.apiServer !== undefined
          ? (facts.apiServer ?? []).map(singleAddress)
          : []),
      ];
    case "endpoints": {
      const { addresses, ofPods } = serviceTargets(cluster, peer.services);
      return [...addresses, ...ofPods];
    }
    case "everything":
    case "nothing":
    case "pods":
    case "nodes":
    case "unknown-set":
      return [];
  }
}

function sameKeys(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown> | undefined): boolean {
  return a.size === b?.size && [...a.keys()].every((key) => b.has(key));
}

function sameEntries<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

/*
 * S1.16: an address in the pod range of another node that no pod has may belong to that node. For this node there is no doubt:
 * packets to the node itself arrive in another hook.
 */

/** Addresses that are in the same blocks, and in the pod range of one node or of none. */
interface Segment {
  readonly first: Address;
  readonly last: bigint;
  readonly blocks: string;
  readonly node: Node | undefined;
}

/** All addresses of both families, in ascending order, IPv4 first. `own`: the name of this node. */
export function* segmentsOf(blocks: Blocks, nodes: Iterable<Node>, own: string): Iterable<Segment> {
  const ranges = [...nodes]
    .filter(({ name }) => name !== own)
    .flatMap((node) => (node.podRanges ?? []).map((range): NodeRange => ({ range, node })))
    .toSorted(byPlace);
  const atoms = new AddressAtoms([...blocks.cidrs.values(), ...ranges.map(({ range }) => range)]);
  // If ranges of two nodes overlap, the one that begins first counts.
  const nodeAt: Node[] = [];
  for (const { range, node } of ranges) {
    const [from, to] = atoms.rangeOf(range);
    for (let atom = from; atom < to; atom++) nodeAt[atom] ??= node;
  }
  for (let atom = 0; atom < atoms.count; atom++) {
    const first = atoms.firstOf(atom);
    const last = atoms.lastOf(atom).value;
    yield { first, last, blocks: blocks.aroundAddress(first), node: nodeAt[atom] };
  }
}

interface NodeRange {
  readonly range: Cidr;
  readonly node: Node;
}

function byPlace(
  { range: a, node: { name: nameA } }: NodeRange,
  { range: b, node: { name: nameB } }: NodeRange,
) {
  if (a.first !== b.first) return a.first < b.first ? -1 : 1;
  return nameA < nameB ? -1 : 1;
}
