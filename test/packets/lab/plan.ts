import { addressesOfNode, type Inventory, type Pod } from "@tierwall/core/model";
import { type Address, type Family, formatAddress } from "../../../packages/core/src/net/address.js";

/*
 * Which network namespaces represent a cluster, and which addresses each has.
 *
 *    pod   pod        pod   pod
 *     │     │          │     │          routed: a veth each; bridged: all on one bridge of the node
 *    node-1 ─── up     node-2 ─── up
 *               └──────── outside ┘     a bridge, and the owner of all other addresses
 *
 * Neighbours reach each other by link-local addresses, so that no address of the lab's own can be inside a CIDR of a
 * policy.
 */
export interface LabPlan {
  readonly nodes: readonly LabNode[];
  readonly pods: readonly LabPod[];
  readonly outside: LabSpace;
  /** Addresses that are in use or rewritten: they do not lead outside. */
  readonly taken: ReadonlySet<string>;
}

export interface LabSpace {
  /** The name of its network namespace. */
  readonly space: string;
  /** Its link-local address on the way to the nodes. */
  readonly link: string;
}

export interface LabNode extends LabSpace {
  readonly name: string;
  readonly addresses: readonly Address[];
  readonly pods: readonly LabPod[];
}

export interface LabPod extends LabSpace {
  readonly key: string;
  readonly pod: Pod;
  /** The interface of its node that leads to it. */
  readonly port: string;
  /** Addresses that lead to the pod as a Service does: by rewriting, whatever the port. */
  readonly alias: Readonly<Record<Family, string>>;
}

/** The node's end of every link to a pod. */
export const gatewayLink = "fe80::1";
/** What the node takes as source where a pod reaches itself through a Service: by its own it would not see the answer. */
export const hairpinSource: Readonly<Record<Family, string>> = { 4: "169.254.77.1", 6: "fdfe:dcba:9876::1" };

export function planLab(cluster: Inventory, prefix: string): LabPlan {
  const guests = [...cluster.pods.values()].filter((pod) => !pod.hostNetwork);
  const homeless = guests.find((pod) => pod.node === undefined || !cluster.nodes.has(pod.node));
  if (homeless !== undefined)
    throw new Error(`pod ${homeless.namespace}/${homeless.name} needs a node to be in the lab`);
  const pods = guests.map(
    (pod, i): LabPod => ({
      key: `${pod.namespace}/${pod.name}`,
      pod,
      space: `${prefix}p${i}`,
      link: `fe80::b:${(i + 1).toString(16)}`,
      port: `p${i}`,
      alias: { 4: `198.18.${i >> 8}.${(i & 255) + 1}`, 6: `2001:2::${(i + 1).toString(16)}` },
    }),
  );
  const nodes = [...cluster.nodes.values()].map(
    (node, i): LabNode => ({
      name: node.name,
      addresses: addressesOfNode(node),
      pods: pods.filter(({ pod }) => pod.node === node.name),
      space: `${prefix}n${i}`,
      link: `fe80::a:${(i + 1).toString(16)}`,
    }),
  );
  const owners = [...cluster.pods.values(), ...cluster.nodes.values(), ...cluster.services];
  const owned = owners.flatMap(({ addresses }) => addresses.map(formatAddress));
  const aliases = pods.flatMap(({ alias }) => Object.values(alias));
  const taken = new Set([...owned, ...aliases, ...Object.values(hairpinSource)]);
  return { nodes, pods, taken, outside: { space: `${prefix}out`, link: "fe80::f" } };
}

/** `10.0.0.1/32`, `fd00::1/128`. */
export const hostRoute = (address: Address): string =>
  `${formatAddress(address)}/${address.family === 4 ? 32 : 128}`;
