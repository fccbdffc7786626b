import {
  type Address,
  addressesOfNode,
  type Inventory,
  parseAddress,
  type Pod,
  podKey,
} from "@tierwall/core/model";

/** The pod or node at an address. */
export type AddressOwner =
  | {
      readonly kind: "pod";
      readonly pod: string;
      readonly node?: string;
      /** S1.17: the other pods that report the address. It is unknown which of them it was. */
      readonly sharedWith?: readonly string[];
    }
  | { readonly kind: "node"; readonly node: string }
  | { readonly kind: "external" };

type PodOwner = Extract<AddressOwner, { readonly kind: "pod" }>;

/** Finds endpoints by address, in the current state of the cluster. The index is built by the first lookup. */
export class AddressOwners {
  #ends: Readonly<Record<Address["family"], ReadonlyMap<bigint, AddressOwner>>> | undefined;

  constructor(private cluster: Pick<Inventory, "pods" | "nodes"> = { pods: new Map(), nodes: new Map() }) {}

  update(cluster: Pick<Inventory, "pods" | "nodes">): void {
    this.cluster = cluster;
    this.#ends = undefined;
  }

  at(text: string): AddressOwner {
    const address = parseAddress(text);
    if (address === undefined) return external;
    this.#ends ??= endsOf(this.cluster);
    return this.#ends[address.family].get(address.value) ?? external;
  }
}

const external: AddressOwner = { kind: "external" };

function endsOf({ pods, nodes }: Pick<Inventory, "pods" | "nodes">) {
  const ends = { 4: new Map<bigint, AddressOwner>(), 6: new Map<bigint, AddressOwner>() };
  const add = (addresses: readonly Address[], end: AddressOwner) => {
    for (const { family, value } of addresses) ends[family].set(value, end);
  };
  for (const node of nodes.values()) add(addressesOfNode(node), { kind: "node", node: node.name });
  // By name, so that the same pod comes first in every line.
  for (const pod of [...pods.values()].toSorted((a, b) => (podKey(a) < podKey(b) ? -1 : 1))) {
    // Many pods can have the address of their node, so only the node is named.
    if (pod.hostNetwork) continue;
    for (const { family, value } of pod.addresses) {
      const known = ends[family].get(value);
      ends[family].set(value, known?.kind === "pod" ? sharing(known, podKey(pod)) : only(pod));
    }
  }
  return ends;
}

const only = (pod: Pod): PodOwner => ({
  kind: "pod",
  pod: podKey(pod),
  ...(pod.node === undefined ? {} : { node: pod.node }),
});

const sharing = (end: PodOwner, other: string): PodOwner => ({
  ...end,
  sharedWith: [...(end.sharedWith ?? []), other],
});
