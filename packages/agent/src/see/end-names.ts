import { type Address, addressesOfNode, type Cluster, parseAddress, type Pod, podKey } from "@tierwall/core";

/** Who is behind an address. */
export type End =
  | {
      readonly kind: "pod";
      readonly pod: string;
      readonly node?: string;
      /** S1.17: the other pods that report the address; nothing shows which of them it was. */
      readonly sharedWith?: readonly string[];
    }
  | { readonly kind: "node"; readonly node: string }
  | { readonly kind: "external" };

type PodEnd = Extract<End, { readonly kind: "pod" }>;

/** Finds ends by address, as the cluster is now. Made for each state of the cluster, and filled when first asked. */
export class EndNames {
  readonly #cluster: Pick<Cluster, "pods" | "nodes">;
  #ends: Readonly<Record<Address["family"], ReadonlyMap<bigint, End>>> | undefined;

  constructor(cluster: Pick<Cluster, "pods" | "nodes">) {
    this.#cluster = cluster;
  }

  at(text: string): End {
    const address = parseAddress(text);
    if (address === undefined) return external;
    this.#ends ??= endsOf(this.#cluster);
    return this.#ends[address.family].get(address.value) ?? external;
  }
}

const external: End = { kind: "external" };

function endsOf({ pods, nodes }: Pick<Cluster, "pods" | "nodes">) {
  const ends = { 4: new Map<bigint, End>(), 6: new Map<bigint, End>() };
  const add = (addresses: readonly Address[], end: End) => {
    for (const { family, value } of addresses) ends[family].set(value, end);
  };
  for (const node of nodes.values()) add(addressesOfNode(node), { kind: "node", node: node.name });
  // By name, so that the same pod comes first in every line.
  for (const pod of [...pods.values()].toSorted((a, b) => (podKey(a) < podKey(b) ? -1 : 1))) {
    // Behind its node's address stand many: the node is all that can be said.
    if (pod.hostNetwork) continue;
    for (const { family, value } of pod.addresses) {
      const known = ends[family].get(value);
      ends[family].set(value, known?.kind === "pod" ? sharing(known, podKey(pod)) : only(pod));
    }
  }
  return ends;
}

const only = (pod: Pod): PodEnd => ({
  kind: "pod",
  pod: podKey(pod),
  ...(pod.node === undefined ? {} : { node: pod.node }),
});

const sharing = (end: PodEnd, other: string): PodEnd => ({
  ...end,
  sharedWith: [...(end.sharedWith ?? []), other],
});
