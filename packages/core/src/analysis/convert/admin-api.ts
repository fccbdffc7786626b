import { isKnownVersion } from "../../dialects/registry.js";
import type { JsonObject } from "../../manifest/document.js";
import type { PolicyRef, PortMatch } from "../../policy/model.js";

/** How one of the policy.networking.k8s.io APIs writes what they all can say. */
export interface AdminApi {
  readonly apiVersion: string;
  readonly allow: "Accept" | "Allow";
  readonly portsField: "protocols" | "ports";
  readonly writePort: (port: Exclude<PortMatch, { kind: "icmp" }>) => JsonObject;
  /** How many rules a direction, peers a rule, ports a rule, networks and names a peer may have. */
  readonly limit: {
    readonly rules: number;
    readonly peers: number;
    readonly ports: number;
    readonly entries: number;
  };
}

/** ClusterNetworkPolicy as released (S3.1). */
const clusterNetworkPolicyApi: AdminApi = {
  apiVersion: "policy.networking.k8s.io/v1alpha2",
  allow: "Accept",
  portsField: "protocols",
  writePort: (port) => {
    if (port.kind === "named") return { destinationNamedPort: port.name };
    const destinationPort =
      port.first === port.last ? { number: port.first } : { range: { start: port.first, end: port.last } };
    return { [port.protocol.toLowerCase()]: { destinationPort } };
  },
  limit: { rules: 25, peers: 25, ports: 25, entries: 25 },
};

/** S3.10: the same in the version that the policies of the input have, as their cluster serves it. */
export function clusterNetworkPolicyApiFor(policies: readonly PolicyRef[]): AdminApi {
  const used = policies.find(
    (policy) => policy.dialect === "cluster-network-policy" && isKnownVersion(policy),
  );
  return used === undefined
    ? clusterNetworkPolicyApi
    : { ...clusterNetworkPolicyApi, apiVersion: `${used.group}/${used.version}` };
}

/** AdminNetworkPolicy and BaselineAdminNetworkPolicy as released (S4.1, S4.2). */
export const adminNetworkPolicyApi: AdminApi = {
  apiVersion: "policy.networking.k8s.io/v1alpha1",
  allow: "Allow",
  portsField: "ports",
  writePort: (port) => {
    if (port.kind === "named") return { namedPort: port.name };
    const { protocol, first, last } = port;
    return first === last
      ? { portNumber: { protocol, port: first } }
      : { portRange: { protocol, start: first, end: last } };
  },
  limit: { rules: 100, peers: 100, ports: 100, entries: 25 },
};
