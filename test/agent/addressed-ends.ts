import type { Address, Endpoint, Family, Inventory } from "@tierwall/core/model";
import { formatAddress } from "../../packages/core/src/net/address.js";
import { outsideEnds } from "../../packages/core/testing/all-ends.js";

/** The endpoint at an address: packets contain nothing else that distinguishes endpoints. */
export interface AddressedEnd {
  readonly address: Address;
  readonly endpoint: Endpoint;
  /** The name of the node on which packets of this end can be seen, where that is known. */
  readonly node?: string;
}

export function addressedEnds(cluster: Inventory): readonly AddressedEnd[] {
  const found = new Map<string, AddressedEnd>();
  const add = (address: Address, endpoint: Endpoint, node: string | undefined) => {
    const text = formatAddress(address);
    if (!found.has(text)) found.set(text, { address, endpoint, ...(node === undefined ? {} : { node }) });
  };
  const podEnd = (pod: Extract<Endpoint, { kind: "pod" }>["pod"]): Endpoint => ({
    kind: "pod",
    pod,
    namespace: cluster.namespaces.get(pod.namespace)!,
  });
  for (const pod of cluster.pods.values())
    if (!pod.hostNetwork) for (const address of pod.addresses) add(address, podEnd(pod), pod.node);
  for (const node of cluster.nodes.values())
    for (const address of node.addresses) add(address, { kind: "node", node, address }, node.name);
  for (const pod of cluster.pods.values())
    if (pod.hostNetwork) for (const address of pod.addresses) add(address, podEnd(pod), pod.node);
  for (const end of outsideEnds) add(end.address, end, undefined);
  return [...found.values()];
}

export const isLocalPod = ({ endpoint }: AddressedEnd, node: string): boolean =>
  endpoint.kind === "pod" && !endpoint.pod.hostNetwork && endpoint.pod.node === node;

export const isHost = ({ endpoint }: AddressedEnd): boolean =>
  endpoint.kind === "node" || (endpoint.kind === "pod" && endpoint.pod.hostNetwork);

export const familyOf = ({ address }: AddressedEnd): Family => address.family;
