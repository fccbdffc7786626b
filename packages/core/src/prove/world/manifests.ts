import { formatAddress } from "../../net/address.js";
import { type Direction, directions } from "../../policy/model.js";
import type { JsonObject } from "../../manifest/document.js";
import { writeYaml } from "../../manifest/yaml/write-yaml.js";
import { ends, endOf, type OwnerAct } from "../encode/index.js";
import type { Witness, WitnessEnd } from "./witness.js";

/** The cluster of a witness: Namespaces, Pods, Nodes, and what the owners wrote. */
export function manifestsOf(witness: Witness): readonly JsonObject[] {
  const both = ends.map((end) => witness[end]);
  const inCluster = both.filter(({ kind }) => kind !== "external");
  const pods = inCluster.filter(({ kind }) => kind !== "node");
  const namespaces = new Map(pods.map((pod) => [pod.namespace, pod.namespaceLabels]));
  const hosts = inCluster.filter(({ kind }) => kind !== "pod");
  const isHost = (node: string | undefined) => hosts.some((host) => host.node === node);
  const elsewhere = pods.filter(({ node }) => node !== undefined && !isHost(node));
  return [
    ...[...namespaces].map(([name, labels]) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels },
    })),
    ...hosts.map(({ node, nodeLabels, address }) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: node!, labels: nodeLabels },
      status: { addresses: [{ type: "InternalIP", address: formatAddress(address) }] },
    })),
    ...elsewhere.map(({ node }) => ({ apiVersion: "v1", kind: "Node", metadata: { name: node! } })),
    ...pods.map((pod) => podOf(pod, witness)),
    ...directions.flatMap((direction) => ownersPolicy(witness, direction)),
    ...witness.ownerPolicies,
  ];
}

export const manifestsText = (witness: Witness): string =>
  writeYaml(manifestsOf(witness).map((value) => ({ value, comments: [] })));

function podOf(pod: WitnessEnd, { destination, protocol, port, portNames }: Witness): JsonObject {
  const ports = pod === destination ? portNames.map((name) => ({ name, containerPort: port, protocol })) : [];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod.name, namespace: pod.namespace, labels: pod.labels },
    spec: {
      ...(pod.node === undefined ? {} : { nodeName: pod.node }),
      ...(pod.kind === "pod" ? {} : { hostNetwork: true }),
      ...(pod.account === "default" ? {} : { serviceAccountName: pod.account }),
      containers: [{ name: "main", image: "example", ...(ports.length === 0 ? {} : { ports }) }],
    },
    status: { podIP: formatAddress(pod.address), podIPs: [{ ip: formatAddress(pod.address) }] },
  };
}

/** The one policy of an owner that does this to the connection (S11.2). */
function ownersPolicy(witness: Witness, direction: Direction): readonly JsonObject[] {
  const act = witness.owners[direction];
  const { namespace } = witness[endOf(direction)];
  if (act === undefined) return [];
  const metadata = { name: `owner-${direction}`, namespace };
  const isCilium = act === "deny" || witness.ownersApi === "Cilium";
  return [(isCilium ? ciliumPolicy : networkPolicy)(metadata, direction, act)];
}

function networkPolicy(metadata: JsonObject, direction: Direction, act: OwnerAct): JsonObject {
  const type = direction === "ingress" ? "Ingress" : "Egress";
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata,
    spec: { podSelector: {}, policyTypes: [type], ...(act === "allow" ? { [direction]: [{}] } : {}) },
  };
}

/** S7.8: a denial is for the pod's own node as well. S7.3: an empty item isolates and matches nothing. */
function ciliumPolicy(metadata: JsonObject, direction: Direction, act: OwnerAct): JsonObject {
  const everything = direction === "ingress" ? { fromEntities: ["all"] } : { toEntities: ["all"] };
  const sections: Readonly<Record<OwnerAct, JsonObject>> = {
    allow: { [direction]: [everything] },
    isolate: { [direction]: [{}] },
    deny: { enableDefaultDeny: { ingress: false, egress: false }, [`${direction}Deny`]: [everything] },
  };
  return {
    apiVersion: "cilium.io/v2",
    kind: "CiliumNetworkPolicy",
    metadata,
    spec: { endpointSelector: {}, ...sections[act] },
  };
}
