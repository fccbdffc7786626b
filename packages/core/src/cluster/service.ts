import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { given } from "../diagnostics/given.js";
import { selects } from "../labels/requirement.js";
import type { JsonObject } from "../manifest/document.js";
import { type Address, type Family, parseAddress, sameAddress } from "../net/address.js";
import { child, items, number, protocol, text, texts } from "./fields.js";
import type { Identified } from "./identity.js";
import type { Cluster, Pod, Service, ServiceEndpoint, ServicePort } from "./model.js";
import { readLabels } from "./shared.js";

export function readService(
  { namespace, name, labels, value, source }: Identified,
  diagnostics: Diagnostic[],
): Omit<Service, "endpoints"> {
  const spec = child(value, "spec");
  const loadBalancer = items(child(child(value, "status"), "loadBalancer"), "ingress");
  const addresses = [
    text(spec, "clusterIP") ?? "",
    ...texts(spec, "clusterIPs"),
    ...texts(spec, "externalIPs"),
    text(spec, "loadBalancerIP") ?? "",
    ...loadBalancer.flatMap((entry) => text(entry, "ip") ?? []),
  ];
  const wanted = readLabels(child(spec, "selector"), ["spec", "selector"], source, diagnostics);
  const selector = Object.entries(wanted).map(([key, label]) => ({
    key,
    operator: "In" as const,
    values: [label],
  }));
  const own = [...new Set(addresses)].flatMap((ip) => parseAddress(ip) ?? []);
  const declared = texts(spec, "ipFamilies").flatMap((family): Family[] =>
    family === "IPv4" ? [4] : family === "IPv6" ? [6] : [],
  );
  return {
    namespace,
    name,
    labels,
    headless: spec.clusterIP === "None",
    addresses: own,
    families: own.length > 0 ? [...new Set(own.map(({ family }) => family))] : declared,
    ports: items(spec, "ports").flatMap(readServicePort),
    ...(selector.length === 0 ? {} : { selector }),
  };
}

function readServicePort(entry: JsonObject): ServicePort[] {
  const port = number(entry, "port");
  if (port === undefined) return [];
  const targetPort = number(entry, "targetPort") ?? text(entry, "targetPort") ?? port;
  return [{ port, protocol: protocol(entry), targetPort, ...given({ name: text(entry, "name") }) }];
}

/** On an EndpointSlice: the Service it is for. */
export const serviceNameLabel = "kubernetes.io/service-name";

/** The endpoints of one EndpointSlice, and the Service they are for. */
export function readEndpointSlice({
  namespace,
  labels,
  value,
}: Pick<Identified, "namespace" | "labels" | "value">):
  | { service: string; endpoints: readonly ServiceEndpoint[] }
  | undefined {
  const service = labels[serviceNameLabel];
  if (service === undefined) return undefined;
  const listed = items(value, "ports").flatMap((entry) => {
    const port = number(entry, "port");
    return port === undefined ? [] : [[text(entry, "name") ?? "", port] as const];
  });
  const ports = listed.length === 0 ? {} : { ports: Object.fromEntries(listed) };
  const ready = items(value, "endpoints").filter((endpoint) => child(endpoint, "conditions").ready !== false);
  const endpoints = ready.flatMap((endpoint) => {
    const pod = podRef(child(endpoint, "targetRef"), namespace);
    const addresses = texts(endpoint, "addresses").flatMap((ip) => parseAddress(ip) ?? []);
    return addresses.map((address) => ({ address, ...ports, ...given({ pod }) }));
  });
  return { service, endpoints };
}

function podRef(target: JsonObject, namespace: string): string | undefined {
  const name = target.kind === "Pod" ? text(target, "name") : undefined;
  return name === undefined ? undefined : `${text(target, "namespace") ?? namespace}/${name}`;
}

/** Where a connection to a Service ends up: a pod or a bare address, and the port there. */
export type Backend = {
  /** Absent where the Service maps this port to nothing there. */
  readonly port?: number;
  /** The slice names a pod that is not in the input, so only its address is known. */
  readonly unknownPod?: string;
} & (
  | { readonly pod: Pod; readonly address?: Address }
  | { readonly pod?: undefined; readonly address: Address }
);

/** The real destinations behind a Service (S1.9); undefined if the input does not contain them. */
export function backendsOf(
  cluster: Cluster,
  service: Service,
  port: ServicePort | undefined,
): readonly Backend[] | undefined {
  if (service.endpoints !== undefined)
    return service.endpoints.map((endpoint) => {
      const { address, ports } = endpoint;
      const pod = cluster.pods.get(endpoint.pod ?? "") ?? podAt(cluster, address);
      const listed = ports === undefined ? portWithoutSlice(port) : ports[port?.name ?? ""];
      const unknownPod = pod === undefined ? endpoint.pod : undefined;
      return { address, ...given({ pod, unknownPod, port: listed }) };
    });
  const { selector } = service;
  if (selector === undefined) return undefined;
  return [...cluster.pods.values()]
    .filter((pod) => pod.namespace === service.namespace && selects(selector, pod.labels))
    .map((pod) => ({ pod, ...given({ port: port && targetOn(pod, port) }) }));
}

/** A slice without ports leaves the mapping to the Service, if its target is a number. */
function portWithoutSlice(port: ServicePort | undefined): number | undefined {
  return typeof port?.targetPort === "number" ? port.targetPort : undefined;
}

function targetOn(pod: Pod, { targetPort, protocol: wanted }: ServicePort): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  return pod.ports.find((port) => port.name === targetPort && port.protocol === wanted)?.port;
}

/** The pod with its own network that has this address; of several the first. */
export function podAt(cluster: Cluster, address: Address): Pod | undefined {
  for (const pod of cluster.pods.values()) if (isPodAt(pod, address)) return pod;
  return undefined;
}

/** Whether this is a pod with its own network that has this address. */
export const isPodAt = (pod: Pod, address: Address): boolean =>
  !pod.hostNetwork && pod.addresses.some((own) => sameAddress(own, address));
