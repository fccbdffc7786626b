import type { State } from "../src/state/state.js";
import { type Endpoint, formatEndpoint } from "../src/evaluate/flow.js";
import type { Family } from "../src/net/address.js";
import { address } from "./arbitrary/arbitrary-cluster.js";
import { externalAddresses } from "./arbitrary/arbitrary-vocabulary.js";

/** One of each sort of port that random rules distinguish. */
export const probedPorts = [
  { protocol: "TCP", port: 80 },
  { protocol: "TCP", port: 81 },
  { protocol: "UDP", port: 53 },
  { protocol: "SCTP", port: 443 },
  { protocol: "TCP", port: 65535 },
  { protocol: "ICMP", port: 0 },
] as const;

/** The pods and nodes of a cluster, by how they are written. */
export function insideEnds({ cluster }: Pick<State, "cluster">): ReadonlyMap<string, Endpoint> {
  const pods = [...cluster.pods.values()].map(
    (pod) => ({ kind: "pod", pod, namespace: cluster.namespaces.get(pod.namespace)! }) as const,
  );
  const nodes = [...cluster.nodes.values()].map((node) => ({ kind: "node", node }) as const);
  return new Map([...pods, ...nodes].map((end) => [formatEndpoint(end), end]));
}

/** External addresses that random rules distinguish. */
export const outsideEnds: readonly Extract<Endpoint, { kind: "external" }>[] = externalAddresses.map(
  (text) => ({ kind: "external", address: address(text) }),
);

/** The families that an endpoint is known to have. */
export function familiesOf({ cluster }: Pick<State, "cluster">, end: Endpoint): readonly Family[] {
  return [...new Set(addressesOf({ cluster }, end).map(({ family }) => family))];
}

function addressesOf({ cluster }: Pick<State, "cluster">, end: Endpoint) {
  if (end.kind === "external") return [end.address];
  if (end.kind === "node") return end.node.addresses;
  if (end.pod.addresses.length > 0) return end.pod.addresses;
  return end.pod.hostNetwork
    ? (cluster.nodes.get(end.pod.node ?? "")?.addresses ?? [])
    : cluster.facts.podCidrs;
}

/** S1.15: the families in which endpoints connect: those that none is known not to have, and one is known to have. */
export function commonFamilies(all: readonly (readonly Family[])[]): readonly (Family | undefined)[] {
  if (all.every(({ length }) => length === 0)) return [undefined];
  return ([4, 6] as const).filter(
    (family) =>
      all.some((list) => list.includes(family)) &&
      all.every((list) => list.length === 0 || list.includes(family)),
  );
}
