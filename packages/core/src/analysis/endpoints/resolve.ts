import type { Cluster, Namespace, Pod, Service, ServicePort } from "../../cluster/model.js";
import { addressesOfNode } from "../../cluster/node.js";
import { isPodAt } from "../../cluster/service.js";
import { workloadKinds } from "../../cluster/workload.js";
import { ok, type Result, refused } from "../../diagnostics/result.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { type Endpoint, formatEndpoint } from "../../evaluate/flow.js";
import { namespaceNameLabel } from "../../labels/requirement.js";
import { type Address, type Family, formatAddress, sameAddress } from "../../net/address.js";
import { contains } from "../../net/cidr.js";
import type { EndpointRef, PortRef } from "./endpoint-ref.js";

/** The meaning of a name: endpoints, or the Service in front of them. */
export interface Resolved {
  readonly label: string;
  readonly endpoints: readonly Endpoint[];
  /** Through a Service: the endpoints are those behind it (S1.9). */
  readonly service?: Service;
  /** By an address: only its family is used. */
  readonly family?: Family;
}

const shortKinds: ReadonlyMap<string, string> = new Map([
  ["deploy", "Deployment"],
  ["rs", "ReplicaSet"],
  ["sts", "StatefulSet"],
  ["ds", "DaemonSet"],
  ["cj", "CronJob"],
  ["rc", "ReplicationController"],
  ["svc", "Service"],
  ["po", "Pod"],
]);

const endpointKinds: readonly string[] = [...workloadKinds, "Service", "Pod"];

/** The kind that a word such as `deploy` or `pods` means. */
function endpointKind(word: string): string | undefined {
  const folded = word.toLowerCase();
  return (
    shortKinds.get(folded) ??
    endpointKinds.find((kind) => [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(folded))
  );
}

export const isKindOfEndpoint = (word: string): boolean => endpointKind(word) !== undefined;

/** `port` matters where one address is a node's and a Service's: the port determines which of them answers. */
export function resolve(
  cluster: Cluster,
  ref: EndpointRef,
  role: "source" | "destination",
  port: PortRef,
): Result<Resolved> {
  switch (ref.kind) {
    case "named":
      return resolveNamed(cluster, ref.namespace, ref.name);
    case "workload":
      return resolveWorkload(cluster, ref);
    case "node": {
      const node = cluster.nodes.get(ref.name);
      if (node !== undefined) return ok({ label: `node ${node.name}`, endpoints: [{ kind: "node", node }] });
      const meant = didYouMean(ref.name, [...cluster.nodes.keys()]);
      return refused("TW1502", `there is no node \`${ref.name}\`${meant}`);
    }
    case "address":
      return resolveAddress(cluster, ref.address, role, port);
    case "new":
      return ok({ label: "new pod", endpoints: [newPod(cluster, ref, role)] });
  }
}

/** A pod, or a workload by its bare name. */
function resolveNamed(cluster: Cluster, namespace: string, name: string): Result<Resolved> {
  const label = `${namespace}/${name}`;
  const pod = cluster.pods.get(label);
  if (pod !== undefined && pod.fromTemplate !== true) return ok(podsAs(cluster, label, [pod]));
  const workloads = cluster.workloads.filter((w) => w.namespace === namespace && w.name === name);
  const [only] = workloads;
  if (only !== undefined && workloads.length === 1) return ok(podsAs(cluster, label, only.pods));
  if (workloads.length > 1) {
    const choices = workloads.map((w) => `\`${namespace}/${w.kind}/${name}\``).join(" or ");
    return refused("TW1502", `\`${label}\` could be ${choices}; specify which one`);
  }
  if (pod !== undefined) return ok(podsAs(cluster, label, [pod]));
  return refused(
    "TW1502",
    `there is no pod or workload \`${label}\`${nearestName(cluster, namespace, name)}`,
  );
}

function nearestName(cluster: Cluster, namespace: string, name: string): string {
  if (!cluster.namespaces.has(namespace))
    return `, and no namespace \`${namespace}\`${didYouMean(namespace, [...cluster.namespaces.keys()])}`;
  const known = [...cluster.pods.keys(), ...cluster.workloads.map((w) => `${w.namespace}/${w.name}`)];
  return didYouMean(
    `${namespace}/${name}`,
    known.filter((key) => key.startsWith(`${namespace}/`)),
  );
}

function resolveWorkload(
  cluster: Cluster,
  { namespace, workload: word, name }: Extract<EndpointRef, { kind: "workload" }>,
): Result<Resolved> {
  const kind = endpointKind(word);
  if (kind === undefined) {
    const message = `\`${word}\` is not a kind of workload${didYouMean(word, endpointKinds)}`;
    return refused("TW1502", message, { hint: `The kinds are ${endpointKinds.join(", ")}.` });
  }
  if (kind === "Pod") {
    const pod = cluster.pods.get(`${namespace}/${name}`);
    if (pod !== undefined) return ok(podsAs(cluster, `${namespace}/${name}`, [pod]));
    return refused(
      "TW1502",
      `there is no pod \`${namespace}/${name}\`${nearestName(cluster, namespace, name)}`,
    );
  }
  if (kind === "Service") {
    const service = cluster.services.find((s) => s.namespace === namespace && s.name === name);
    if (service !== undefined) return ok(serviceAs(service));
    return refused("TW1502", `there is no Service \`${namespace}/${name}\``);
  }
  const root = cluster.workloads.find((w) => w.kind === kind && w.namespace === namespace && w.name === name);
  // A ReplicaSet of a Deployment is not a separate workload, but users can ask about it.
  const madeByIt = (pod: Pod) =>
    pod.controller?.kind === kind && pod.namespace === namespace && pod.controller.name === name;
  const pods = root?.pods ?? [...cluster.pods.values()].filter(madeByIt);
  if (pods.length > 0) return ok(podsAs(cluster, `${namespace}/${kind}/${name}`, pods));
  const others = cluster.workloads
    .filter((w) => w.kind === kind && w.namespace === namespace)
    .map((w) => w.name);
  return refused(
    "TW1502",
    `there is no ${kind} \`${namespace}/${name}\` with pods${didYouMean(name, others)}`,
  );
}

// S1.9: an address that is a pod's, a node's or a Service's is about that pod, that node, those endpoints.
function resolveAddress(
  cluster: Cluster,
  address: Address,
  role: "source" | "destination",
  port: PortRef,
): Result<Resolved> {
  const { family } = address;
  const endpoints = endpointsAt(cluster, address);
  // An external endpoint comes last; it is present unless the address is surely in the cluster.
  const endpoint = endpoints.at(-1)!;
  const services = cluster.services.filter((s) => s.addresses.some((own) => sameAddress(own, address)));
  if (role === "source" && services[0] !== undefined && endpoint.kind === "external")
    return refused(
      "TW1501",
      `${formatAddress(address)} is the address of a Service, and Services do not open connections`,
    );
  // A load balancer may share an address with a node or another Service: then the port determines which one answers.
  const claims = services.length + (endpoint.kind === "external" ? 0 : 1);
  if (role === "destination" && port.kind === "all" && claims > 1)
    return refused(
      "TW1501",
      `${formatAddress(address)} is shared by ${sharers(services, endpoint)}; specify the port`,
    );
  const service =
    services.find((s) => s.ports.some((p) => isAsked(p, port))) ??
    (endpoint.kind === "external" ? services[0] : undefined);
  if (service !== undefined && role === "destination") return ok({ ...serviceAs(service), family });
  if (endpoint.kind === "external" && cluster.facts.serviceCidrs.some((range) => contains(range, address)))
    return refused(
      "TW1506",
      `${formatAddress(address)} is a Service address, but no Service in the input has it`,
      {
        hint: "Policies are evaluated for the endpoints of a Service. Add the Service and its EndpointSlices or pods to the input.",
      },
    );
  return ok({ label: endpoints.map(formatEndpoint).join(" or "), endpoints, family });
}

function sharers(services: readonly Service[], endpoint: Endpoint): string {
  const names = services.map((service) => `Service ${service.namespace}/${service.name}`);
  return [...(endpoint.kind === "external" ? [] : [formatEndpoint(endpoint)]), ...names].join(" and ");
}

/** Whether a question about this port is about that port of a Service. */
export function isAsked(servicePort: ServicePort, port: PortRef): boolean {
  if (port.kind === "all" || port.kind === "icmp") return false;
  const sameProtocol = port.protocol === undefined || port.protocol === servicePort.protocol;
  return (
    sameProtocol && (port.kind === "number" ? port.port === servicePort.port : port.name === servicePort.name)
  );
}

/**
 * The endpoints with this address: a pod, a node, a host-network pod, or an external endpoint. Several if that is uncertain: pods that
 * report the same address (S1.17), and a node in whose pod range it is, together with an external endpoint, if no pod has it (S1.16).
 */
export function endpointsAt(cluster: Cluster, address: Address): readonly Endpoint[] {
  const nodes = [...cluster.nodes.values()];
  const pods = [...cluster.pods.values()];
  const sharing = pods.filter((pod) => isPodAt(pod, address));
  if (sharing.length > 0) return sharing.map((pod) => podEndpoint(cluster, pod));
  const node = nodes.find((one) => addressesOfNode(one).some((own) => sameAddress(own, address)));
  if (node !== undefined) return [{ kind: "node", node, address }];
  const inHost = pods.find((pod) => pod.addresses.some((own) => sameAddress(own, address)));
  if (inHost !== undefined) return [podEndpoint(cluster, inHost)];
  const possible = nodes.filter(({ podRanges = [] }) => podRanges.some((range) => contains(range, address)));
  return [
    ...possible.map((one): Endpoint => ({ kind: "node", node: one, address })),
    { kind: "external", address },
  ];
}

export function podEndpoint(cluster: Cluster, pod: Pod): Endpoint {
  const namespace: Namespace = cluster.namespaces.get(pod.namespace) ?? {
    name: pod.namespace,
    labels: { [namespaceNameLabel]: pod.namespace },
  };
  return { kind: "pod", pod, namespace };
}

function podsAs(cluster: Cluster, label: string, pods: readonly Pod[]): Resolved {
  return { label, endpoints: pods.map((pod) => podEndpoint(cluster, pod)) };
}

function serviceAs(service: Service): Resolved {
  return { label: `Service ${service.namespace}/${service.name}`, endpoints: [], service };
}

/**
 * A pod that does not exist yet, in the namespace its labels name, or in one that does not exist yet either. Two new
 * pods are in two new namespaces; these have names, as all do (S1.10), but no selector can match them by name.
 */
function newPod(
  cluster: Cluster,
  { namespaceLabels, podLabels }: Extract<EndpointRef, { kind: "new" }>,
  role: "source" | "destination",
): Endpoint {
  const name = namespaceLabels[namespaceNameLabel] ?? `(new ${role})`;
  const labels = {
    ...cluster.namespaces.get(name)?.labels,
    ...namespaceLabels,
    [namespaceNameLabel]: name,
  };
  const pod: Pod = {
    namespace: name,
    name: "(new)",
    labels: podLabels,
    addresses: [],
    hostAddresses: [],
    hostNetwork: false,
    ports: [],
    serviceAccount: "default",
    fromTemplate: true,
  };
  return { kind: "pod", pod, namespace: { name, labels } };
}
