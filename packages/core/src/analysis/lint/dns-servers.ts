import type { Cluster, Pod, Service } from "../../cluster/model.js";
import { backendsOf } from "../../cluster/service.js";
import type { PodEndpoint } from "../../evaluate/flow.js";

/** A pod that answers the cluster's DNS queries, and the port it does so on. */
export interface DnsServer {
  readonly pod: PodEndpoint;
  readonly protocol: "UDP" | "TCP";
  readonly port: number;
}

/** CoreDNS kept the label and the name of its predecessor. */
const appLabels: ReadonlySet<string> = new Set(["kube-dns", "coredns"]);
const serviceNames: ReadonlySet<string> = new Set([
  "kube-dns",
  "coredns",
  "dns-default",
  "rke2-coredns-rke2-coredns",
]);

/** The cluster's DNS servers, as far as they are in the input and have a network of their own. */
export function dnsServersOf(cluster: Cluster): readonly DnsServer[] {
  const services = cluster.services.filter(isDnsService);
  const found = services.length > 0 ? behind(services, cluster) : byLabel(cluster);
  return found.filter(({ pod }) => !pod.pod.hostNetwork);
}

function isDnsService({ name, labels, ports }: Service): boolean {
  const called = serviceNames.has(name) || appLabels.has(labels["k8s-app"] ?? "");
  return called && ports.some(({ port, protocol }) => port === 53 && protocol === "UDP");
}

function behind(services: readonly Service[], cluster: Cluster): readonly DnsServer[] {
  return services.flatMap((service) =>
    service.ports.flatMap((servicePort) => {
      const { protocol } = servicePort;
      if (servicePort.port !== 53 || protocol === "SCTP") return [];
      return (backendsOf(cluster, service, servicePort) ?? []).flatMap(({ pod, port }) =>
        pod === undefined || port === undefined ? [] : serversAt(pod, [{ protocol, port }], cluster),
      );
    }),
  );
}

function byLabel(cluster: Cluster): readonly DnsServer[] {
  const ports = [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ] as const;
  return [...cluster.pods.values()]
    .filter(({ labels }) => appLabels.has(labels["k8s-app"] ?? ""))
    .flatMap((pod) => serversAt(pod, ports, cluster));
}

function serversAt(
  pod: Pod,
  ports: readonly Omit<DnsServer, "pod">[],
  cluster: Cluster,
): readonly DnsServer[] {
  const namespace = cluster.namespaces.get(pod.namespace);
  if (namespace === undefined) return [];
  return ports.map((port) => ({ pod: { kind: "pod", pod, namespace }, ...port }));
}
