import { networkInterfaces } from "node:os";
import { type Answer, ask } from "@tierwall/core/analysis";
import {
  type Address,
  addressesOfNode,
  type Cidr,
  contains,
  embeddedAddress,
  type Endpoint,
  formatAddress,
  type Inventory,
  isNeverNamed,
  parseAddress,
  type Pod,
  type Tiers,
} from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";
import { ownTiers } from "../compile/rules/rule-book.js";
import { sameList } from "../ruleset/equality.js";
import type { DnsProtocol, SocketAddress } from "./redirect.js";

/** Where a query is sent, and with which source address. */
export interface Upstream extends SocketAddress {
  /**
   * Policies of a server that is a pod match the pod that asks. Other servers see the node, as with masquerading: an external
   * address may have no route to a pod.
   */
  readonly as: "pod" | "node";
}

/** What the proxy needs to know about the cluster. */
export interface Reach {
  /** The real destinations of a query that the policies of both endpoints allow. */
  upstreams(pod: string, server: SocketAddress, protocol: DnsProtocol): readonly Upstream[];
  /** All addresses of the pod that has this one. */
  addressesOf(pod: string): readonly string[];
  /** Why this address is not learned (S8.4); undefined if it is. */
  whyInside(address: string): Inside | undefined;
}

interface Judged {
  /** By address: the pods that had the addresses of the answer. Another pod with one of them changes the answer (S1.17). */
  readonly podsAt: ReadonlyMap<string, readonly Pod[]>;
  readonly upstreams: readonly Upstream[];
}

/**
 * Asks the evaluator, and caches its answers while their inputs stay the same. Undecided counts as not allowed here: then the
 * kernel judges the query like any other packet.
 */
export class ClusterReach implements Reach {
  readonly #judged = new Map<string, Judged>();
  readonly #addresses = new Map<string, readonly string[]>();
  #podsAt: ReadonlyMap<string, readonly Pod[]> | undefined;
  #cluster: Inventory | undefined;
  #inside: InsideAddresses | undefined;
  #tiers: Tiers | undefined;

  /** `node`: the node whose pods send queries. */
  constructor(private readonly node: string) {}

  /** `podRanges`: the known pod ranges of all nodes. S9.7: only tiers that the node enforces count. */
  update(cluster: Inventory, given: Tiers, podRanges: readonly Cidr[]): void {
    const before = this.#cluster;
    const tiers = ownTiers(given);
    const same =
      before !== undefined &&
      this.#tiers === tiers &&
      before.namespaces === cluster.namespaces &&
      before.nodes === cluster.nodes &&
      before.services === cluster.services &&
      before.cidrGroups === cluster.cidrGroups &&
      before.facts === cluster.facts;
    if (!same) this.#judged.clear();
    if (before?.pods !== cluster.pods) this.#podsAt = undefined;
    this.#cluster = cluster;
    this.#inside = new InsideAddresses(cluster, podRanges);
    this.#tiers = tiers;
    this.#addresses.clear();
    for (const pod of cluster.pods.values()) {
      if (pod.node !== this.node || pod.hostNetwork) continue;
      const addresses = pod.addresses.map(formatAddress);
      for (const address of addresses) this.#addresses.set(address, addresses);
    }
  }

  whyInside(address: string): Inside | undefined {
    return this.#inside?.whyInside(address);
  }

  addressesOf(pod: string): readonly string[] {
    return this.#addresses.get(pod) ?? [];
  }

  upstreams(pod: string, server: SocketAddress, protocol: DnsProtocol): readonly Upstream[] {
    if (!this.#addresses.has(pod)) return [];
    const key = `${pod} ${server.address} ${server.port} ${protocol}`;
    const known = this.#judged.get(key);
    if (known !== undefined && this.#isAsBefore(known)) return known.upstreams;
    const judged = this.#judge(pod, server, protocol);
    this.#judged.set(key, judged);
    return judged.upstreams;
  }

  #isAsBefore({ podsAt }: Judged): boolean {
    return [...podsAt].every(([address, before]) => sameList(this.#podsWith(address), before));
  }

  /** Computed when a query needs it, since most clusters have no rules with names. */
  #podsWith(address: string): readonly Pod[] {
    this.#podsAt ??= podsByAddress(this.#cluster!);
    return this.#podsAt.get(address) ?? [];
  }

  #judge(pod: string, server: SocketAddress, protocol: DnsProtocol): Judged {
    const from = parseAddress(pod);
    const to = parseAddress(server.address);
    if (this.#cluster === undefined || this.#tiers === undefined || from === undefined || to === undefined)
      return { podsAt: new Map(), upstreams: [] };
    const asked = this.#answers(from, to, server.port, protocol);
    const ends = asked.flatMap(({ flow }) => [flow.source, flow.destination]);
    const addresses = [
      pod,
      server.address,
      ...ends.flatMap((end) => (end.kind === "pod" ? end.pod.addresses.map(formatAddress) : [])),
    ];
    const podsAt = new Map(addresses.map((address) => [address, this.#podsWith(address)]));
    // S1.17: a Service names one of the pods that share an address, and packets may reach any of them.
    const ofOthers = allowedByAll(asked, from.family).flatMap(({ address, port }) =>
      (podsAt.get(address)?.length ?? 0) > 1
        ? this.#answers(from, parseAddress(address)!, port, protocol)
        : [],
    );
    return { podsAt, upstreams: allowedByAll([...asked, ...ofOthers], from.family) };
  }

  #answers(from: Address, to: Address, port: number, protocol: DnsProtocol): readonly Answer[] {
    const result = ask(
      { cluster: this.#cluster!, tiers: this.#tiers! },
      {
        from: { kind: "address", address: from },
        to: { kind: "address", address: to },
        port: { kind: "number", port, protocol: protocol === "udp" ? "UDP" : "TCP" },
      },
    );
    return result.ok ? result.value.answers : [];
  }
}

function podsByAddress({ pods }: Pick<Inventory, "pods">): ReadonlyMap<string, readonly Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods.values())
    for (const address of pod.addresses) getOrInsert(found, formatAddress(address), () => []).push(pod);
  return found;
}

/** S1.16, S1.17: an address can belong to several endpoints, as source and as destination. */
function allowedByAll(answers: readonly Answer[], family: 4 | 6): readonly Upstream[] {
  const upstreams = new Map<string, Upstream>();
  const denied = new Set<string>();
  for (const { flow, connection } of answers) {
    const address = addressOf(flow.destination, family);
    if (address === undefined) continue;
    const hasOwnNetwork = flow.destination.kind === "pod" && !flow.destination.pod.hostNetwork;
    const key = `${address} ${flow.port}`;
    upstreams.set(key, { address, port: flow.port, as: hasOwnNetwork ? "pod" : "node" });
    if (connection.verdict !== "Allow") denied.add(key);
  }
  return [...upstreams].flatMap(([key, upstream]) => (denied.has(key) ? [] : [upstream]));
}

function addressOf(end: Endpoint, family: 4 | 6): string | undefined {
  switch (end.kind) {
    case "external":
      return formatAddress(end.address);
    case "node": {
      const address = end.address ?? end.node.addresses.find((own) => own.family === family);
      return address && formatAddress(address);
    }
    case "pod": {
      const address = end.pod.addresses.find((own) => own.family === family);
      return address && formatAddress(address);
    }
  }
}

/** Why an address is not learned: what it belongs to. */
export type Inside = "special" | "pod" | "node" | "service" | "pod-range";

/**
 * Addresses that are never learned for a name (S8.3, S8.4): the owner of a name chooses its addresses, and could choose addresses
 * inside the cluster. Computed when an answer needs it, since most clusters have no rules with names.
 */
export class InsideAddresses {
  #known: ReadonlyMap<string, Inside> | undefined;

  constructor(
    private readonly cluster: Pick<Inventory, "pods" | "nodes" | "services">,
    private readonly podRanges: readonly Cidr[],
    private readonly ofThisNode: () => readonly string[] = localAddresses,
  ) {}

  whyInside(text: string): Inside | undefined {
    const address = parseAddress(text);
    // A text with `:` that parses as IPv4 is a mapped address, which never appears in packets.
    if (address === undefined || text.includes(":") !== (address.family === 6)) return "special";
    const embedded = embeddedAddress(address);
    return this.#whyOne(address) ?? (embedded && this.#whyOne(embedded));
  }

  #whyOne(address: Address): Inside | undefined {
    if (isNeverNamed(address)) return "special";
    this.#known ??= this.#find();
    const known = this.#known.get(formatAddress(address));
    if (known !== undefined) return known;
    return this.podRanges.some((range) => contains(range, address)) ? "pod-range" : undefined;
  }

  #find(): ReadonlyMap<string, Inside> {
    const { pods, nodes, services } = this.cluster;
    const known = new Map<string, Inside>();
    const add = (addresses: readonly Address[], inside: Inside) => {
      for (const address of addresses) known.set(formatAddress(address), inside);
    };
    for (const { addresses } of services) add(addresses, "service");
    for (const { addresses } of pods.values()) add(addresses, "pod");
    for (const address of this.ofThisNode()) known.set(address, "node");
    for (const node of nodes.values()) add(addressesOfNode(node), "node");
    return known;
  }
}

const localAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
