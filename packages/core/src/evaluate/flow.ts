import type { Namespace, Node, Pod } from "../cluster/model.js";
import { type Address, type Family, formatAddress } from "../net/address.js";
import type { Protocol } from "../policy/model.js";

/** One endpoint of a connection. */
export type Endpoint =
  | { readonly kind: "pod"; readonly pod: Pod; readonly namespace: Namespace }
  /** `address` where the question named one of its addresses rather than the node. */
  | { readonly kind: "node"; readonly node: Node; readonly address?: Address }
  | { readonly kind: "external"; readonly address: Address };

export type PodEndpoint = Extract<Endpoint, { kind: "pod" }>;

/** A new connection from one endpoint to the other (S1.5); ports are those of the destination (S1.7). */
export interface Flow {
  readonly source: Endpoint;
  readonly destination: Endpoint;
  readonly protocol: Protocol;
  /** For TCP, UDP and SCTP. */
  readonly port: number;
  /** The address family in use, if the endpoints determine it (S1.15). */
  readonly family?: Family;
  /** A pod to its own address, not through a Service (S1.6). */
  readonly toItself?: boolean;
}

/** The endpoint whose policies are evaluated: a pod with its own network, or none (S1.4). */
export function subjectOf(endpoint: Endpoint): PodEndpoint | undefined {
  return endpoint.kind === "pod" && !endpoint.pod.hostNetwork ? endpoint : undefined;
}

/** `shop/cart`, `node worker-1`, `203.0.113.7`. */
export function formatEndpoint(endpoint: Endpoint): string {
  switch (endpoint.kind) {
    case "pod":
      return `${endpoint.pod.namespace}/${endpoint.pod.name}`;
    case "node":
      return `node ${endpoint.node.name}`;
    case "external":
      return formatAddress(endpoint.address);
  }
}
