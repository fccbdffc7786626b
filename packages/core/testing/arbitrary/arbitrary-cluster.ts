import fc from "fast-check";
import {
  accounts,
  externalAddresses,
  fields,
  labelWords,
  type Manifest,
  anyNamespaceName,
  namespaceNames,
  nodeNames,
  often,
  anyOf,
  podRange,
  someLabels,
} from "./arbitrary-vocabulary.js";
import type { Facts } from "../../src/cluster/model.js";
import { type Address, parseAddress } from "../../src/net/address.js";
import { parseCidr } from "../../src/net/cidr.js";

/** A small cluster before it becomes manifests: laws change one thing of it and compare. */
export interface ClusterModel {
  readonly namespaces: Readonly<Record<string, Labels>>;
  readonly pods: readonly PodModel[];
  readonly nodes: readonly NodeModel[];
  readonly extras: readonly Manifest[];
}

type Labels = Readonly<Record<string, string>>;

export interface PodModel {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly ips: readonly string[];
  readonly node?: string;
  readonly hostNetwork: boolean;
  readonly ports: readonly PortModel[];
  readonly account: string;
}

interface PortModel {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: "TCP" | "UDP" | "SCTP";
}

export interface NodeModel {
  readonly name: string;
  readonly labels: Labels;
  readonly ips: readonly string[];
}

/** One name for two protocols and two names for one number: looking up only half of it fails. */
const declaredPorts: readonly PortModel[] = [
  { name: "http", containerPort: 80 },
  { name: "http", containerPort: 81, protocol: "UDP" },
  { name: "dns", containerPort: 53, protocol: "UDP" },
  { name: "dns", containerPort: 80, protocol: "TCP" },
  { containerPort: 443, protocol: "TCP" },
];

export interface ClusterChoices {
  /** Nothing is missing: each pod has its addresses and its node, and everything that policies refer to exists. */
  readonly complete?: boolean;
  /** How many pods, and how many of each that differ from it in one thing at most, as replicas do. */
  readonly minPods?: number;
  readonly maxPods?: number;
  readonly maxReplicas?: number;
}

type FamilySet = readonly (4 | 6)[];

export function anyCluster({
  complete = false,
  minPods = 2,
  maxPods = 5,
  maxReplicas = 1,
}: ClusterChoices = {}): fc.Arbitrary<ClusterModel> {
  const namespaces = fc
    .tuple(...namespaceNames.map(() => someLabels(labelWords.namespace)))
    .chain((labels) =>
      anyOf(3, 4).map((count) =>
        Object.fromEntries(namespaceNames.slice(0, count).map((name, i) => [name, labels[i]!])),
      ),
    );
  const families = anyOf<FamilySet>([4], [6], [4, 6]);
  const nodes = fc
    .array(fields({ labels: someLabels(labelWords.node), families }), { minLength: 1, maxLength: 2 })
    .map((list) =>
      list.map((node, i): NodeModel => {
        const ips = node.families.map((family) => (family === 4 ? `192.168.0.${i + 1}` : `fd01::${i + 1}`));
        return { name: nodeNames[i]!, labels: node.labels, ips };
      }),
    );
  const pod = fields(
    {
      namespace: anyNamespaceName,
      labels: someLabels(labelWords.pod),
      families: complete
        ? families
        : often<FamilySet>([2, fc.constant([])], [3, fc.constant([4])], [1, fc.constant([6])], [2, families]),
      hostNetwork: often([5, fc.constant(false)], [1, fc.constant(true)]),
      ports: fc.subarray([...declaredPorts]),
      account: anyOf(...accounts),
    },
    // `elsewhere` is not a node of the input.
    { node: anyOf("node-1", "node-2", ...(complete ? [] : ["elsewhere"])) },
  );
  const replicas = fc.array(variation, { maxLength: maxReplicas - 1 });
  return fc
    .record({
      namespaces,
      nodes,
      pods: fc.array(pod, { minLength: minPods, maxLength: maxPods }),
      replicas:
        maxReplicas === 1 ? fc.constant([]) : fc.array(replicas, { minLength: maxPods, maxLength: maxPods }),
      extras: anyExtras(complete),
    })
    .map(({ namespaces, nodes, pods, replicas, extras }) => ({
      namespaces,
      nodes,
      extras,
      pods: pods
        .flatMap((one, i) => [one, ...(replicas[i] ?? []).map((change) => ({ ...one, ...change }))])
        .map(({ families, ...rest }, i): PodModel => {
          const node = rest.node ?? (complete ? nodes[i % nodes.length]!.name : undefined);
          const known = complete && nodes.every(({ name }) => name !== node) ? nodes[0]!.name : node;
          const host = nodes.find(({ name }) => name === known);
          const own = families.map((family) => (family === 4 ? `10.0.0.${i + 1}` : `fd00::${i + 1}`));
          const ips = rest.hostNetwork ? (host?.ips ?? []) : own;
          const named = { ...rest, name: `pod-${i}`, labels: { ...rest.labels, pod: `pod-${i}` }, ips };
          return known === undefined ? named : { ...named, node: known };
        }),
    }));
}

/** What may differ in a replica: mostly its node, and otherwise what only some rules match. */
const variation = anyOf<Partial<PodModel>>(
  {},
  { node: "node-1" },
  { node: "node-2" },
  { account: "robot" },
  { ports: declaredPorts.slice(0, 1) },
  { labels: { team: "red" } },
);

/** Services with and without their endpoints, and a CIDR group: what Cilium's peers may refer to. */
function anyExtras(complete: boolean): fc.Arbitrary<readonly Manifest[]> {
  const service = (name: string, spec: object, labels: Labels) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "alpha", labels },
    spec: { ports: [{ port: 80 }], ...spec },
  });
  const slice = (service: string, addresses: readonly string[]) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${service}-slice`,
      namespace: "alpha",
      labels: { "kubernetes.io/service-name": service },
    },
    addressType: "IPv4",
    ports: [{ port: 80 }],
    endpoints: [{ addresses }],
  });
  const web = service("svc-web", { clusterIP: "10.96.0.1", selector: { app: "web" } }, { team: "red" });
  const manual = service("svc-manual", { clusterIP: "10.96.0.2" }, { team: "blue" });
  const slices = slice("svc-manual", ["10.0.0.1", "203.0.113.1", "192.168.0.1"]);
  const gone = service("svc-gone", { clusterIP: "10.96.0.3" }, {});
  const goneSlices = slice("svc-gone", ["10.0.0.3", "203.0.113.9"]);
  const group = (name: string, labels: Labels, range: string) => ({
    apiVersion: "cilium.io/v2alpha1",
    kind: "CiliumCIDRGroup",
    metadata: { name, labels },
    spec: { externalCIDRs: [range] },
  });
  const some = [web, manual, slices, group("group-1", { team: "red" }, "203.0.113.0/29")];
  return complete
    ? fc.constant([...some, gone, goneSlices, group("group-2", {}, "203.0.113.8/29")])
    : fc.subarray<Manifest>(some);
}

export function manifestsOf({ namespaces, pods, nodes, extras }: ClusterModel): readonly Manifest[] {
  return [
    ...Object.entries(namespaces).map(([name, labels]) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels },
    })),
    ...nodes.map(({ name, labels, ips }) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels },
      status: { addresses: ips.map((address) => ({ type: "InternalIP", address })) },
    })),
    ...pods.map(({ namespace, name, labels, ips, node, hostNetwork, ports, account }) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace, labels },
      spec: {
        serviceAccountName: account,
        containers: [{ name: "main", ports }],
        ...(node === undefined ? {} : { nodeName: node }),
        ...(hostNetwork ? { hostNetwork } : {}),
      },
      status: { phase: "Running", podIPs: ips.map((ip) => ({ ip })) },
    })),
    ...extras,
  ];
}

export const address = (text: string): Address => parseAddress(text)!;

/** What may be known besides the manifests; with `complete`, everything is. */
export function anyFacts({ complete = false }: ClusterChoices = {}): fc.Arbitrary<Partial<Facts>> {
  const cidrs = [podRange[4], podRange[6]].map((text) => parseCidr(text)!);
  const apiServer = fc.subarray(["192.168.0.1", "fd01::2", "203.0.113.9"]).map((texts) => texts.map(address));
  const dns = fc
    .array(
      fields({
        name: anyOf("example.com", "WWW.example.com.", "a.b.example.com", "other.org"),
        addresses: fc
          .subarray([...externalAddresses, "10.0.0.2", "192.168.0.1"])
          .map((texts) => texts.map(address)),
      }),
      { maxLength: 3 },
    )
    .map((records) => [...records]);
  return complete
    ? fields({ podCidrs: fc.constant(cidrs), apiServer, dns })
    : fields({ podCidrs: fc.subarray(cidrs) }, { apiServer, dns });
}
