import { type Cluster, type Pod, podKey } from "../../cluster/model.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { dnsServersOf } from "../lint/dns-servers.js";
import { endpointsAt, podEndpoint } from "../endpoints/resolve.js";

/** What nearly every pod needs, and authors of policies tend to forget. */
export type Lifeline = "DNS" | "API server";

/** An end and a port where it is found. */
export interface LifelineTarget {
  readonly lifeline: Lifeline;
  readonly end: Endpoint;
  readonly protocol: "TCP" | "UDP";
  readonly port: number;
  /** Only pods of this node use it. */
  readonly onlyOnNode?: string;
}

/** The endpoints of the cluster's DNS and API server, as far as the input shows them. */
export function lifelinesOf(cluster: Cluster): readonly LifelineTarget[] {
  return distinct([...dnsOf(cluster), ...nodeLocalDnsOf(cluster), ...apiServersOf(cluster)]);
}

function dnsOf(cluster: Cluster): readonly LifelineTarget[] {
  return dnsServersOf(cluster).map(({ pod, protocol, port }) => ({
    lifeline: "DNS",
    end: pod,
    protocol,
    port,
  }));
}

const nodeLocalNames: ReadonlySet<string> = new Set(["node-local-dns", "nodelocaldns"]);

/** A cache on each node, which the pods of that node ask instead. */
function nodeLocalDnsOf(cluster: Cluster): readonly LifelineTarget[] {
  return [...cluster.pods.values()]
    .filter(({ labels, node }) => nodeLocalNames.has(labels["k8s-app"] ?? "") && node !== undefined)
    .flatMap((pod) =>
      (["UDP", "TCP"] as const).map((protocol) => ({
        lifeline: "DNS" as const,
        end: podEndpoint(cluster, pod),
        protocol,
        port: 53,
        onlyOnNode: pod.node!,
      })),
    );
}

/** From the addresses that are known (S7.5), else the pods that static manifests make. */
function apiServersOf(cluster: Cluster): readonly LifelineTarget[] {
  const { apiServer = [] } = cluster.facts;
  const isServer = ({ labels }: Pod) => labels.component === "kube-apiserver";
  const ends =
    apiServer.length > 0
      ? apiServer.flatMap((address) => endpointsAt(cluster, address).map(wholeEnd))
      : [...cluster.pods.values()].filter(isServer).map((pod) => podEndpoint(cluster, pod));
  return ends.map((end) => ({ lifeline: "API server", end, protocol: "TCP", port: apiServerPort(cluster) }));
}

/** A node is a node, whichever of its addresses the Service leads to. */
const wholeEnd = (end: Endpoint): Endpoint => (end.kind === "node" ? { kind: "node", node: end.node } : end);

/** As the Service default/kubernetes maps it. */
function apiServerPort({ services }: Cluster): number {
  const service = services.find(({ namespace, name }) => namespace === "default" && name === "kubernetes");
  const [listed] = Object.values(service?.endpoints?.find(({ ports }) => ports !== undefined)?.ports ?? {});
  const target = service?.ports[0]?.targetPort;
  return listed ?? (typeof target === "number" ? target : usualApiServerPort);
}

const usualApiServerPort = 6443;

function distinct(targets: readonly LifelineTarget[]): readonly LifelineTarget[] {
  const keyOf = ({ end, protocol, port, lifeline }: LifelineTarget) =>
    `${lifeline} ${protocol} ${port} ${endKey(end)}`;
  return [...new Map(targets.map((target) => [keyOf(target), target])).values()];
}

function endKey(end: Endpoint): string {
  switch (end.kind) {
    case "pod":
      return `pod ${podKey(end.pod)}`;
    case "node":
      return `node ${end.node.name}`;
    case "external":
      return `address ${end.address.family} ${end.address.value}`;
  }
}
