import { networkInterfaces } from "node:os";
import {
  type Address,
  addressesOfNode,
  type Cidr,
  contains,
  embeddedAddress,
  formatAddress,
  type Inventory,
  isNeverNamed,
  parseAddress,
} from "@tierwall/core/model";

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
