import { type LabelMatch, type Labels, selects } from "../labels/requirement.js";
import type { JsonObject } from "../manifest/document.js";
import { type Address, parseAddress } from "../net/address.js";
import { child, items, number, protocol, text, texts } from "./fields.js";
import type { Cluster, Pod, Service, ServiceEndpoint, ServicePort } from "./model.js";

export function readService(
  namespace: string,
  name: string,
  labels: Labels,
  object: JsonObject,
): Omit<Service, "endpoints"> {
  const spec = child(object, "spec");
  const loadBalancer = items(child(child(object, "status"), "loadBalancer"), "ingress").flatMap(
    (entry) => text(entry, "ip") ?? [],
  );
  const all = [
    text(spec, "clusterIP") ?? "",
    ...texts(spec, "clusterIPs"),
    ...texts(spec, "externalIPs"),
    text(spec, "loadBalancerIP") ?? "",
    ...loadBalancer,
  ];
  const selector = Object.entries(child(spec, "selector")).flatMap(([key, value]) =>
    typeof value === "string" ? [{ key, operator: "In" as const, values: [value] }] : [],
  ) satisfies LabelMatch;
  return {
    namespace,
    name,
    labels,
    addresses: [...new Set(all)].flatMap((ip) => parseAddress(ip) ?? []),
    ports: items(spec, "ports").flatMap(readServicePort),
    ...(selector.length === 0 ? {} : { selector }),
  };
}

function readServicePort(entry: JsonObject): ServicePort[] {
  const port = number(entry, "port");
  if (port === undefined) return [];
  const name = text(entry, "name");
  const targetPort = number(entry, "targetPort") ?? text(entry, "targetPort") ?? port;
  return [{ port, protocol: protocol(entry), targetPort, ...(name === undefined ? {} : { name }) }];
}

/** The endpoints of one EndpointSlice, and the Service they are for. */
export function readEndpointSlice(
  labels: Labels,
  object: JsonObject,
): { service: string; endpoints: readonly ServiceEndpoint[] } | undefined {
  const service = labels["kubernetes.io/service-name"];
  if (service === undefined) return undefined;
  const ports = Object.fromEntries(
    items(object, "ports").flatMap((entry) => {
      const port = number(entry, "port");
      return port === undefined ? [] : [[text(entry, "name") ?? "", port] as const];
    }),
  );
  const ready = items(object, "endpoints").filter(
    (endpoint) => child(endpoint, "conditions").ready !== false,
  );
  const addresses = ready
    .flatMap((endpoint) => texts(endpoint, "addresses"))
    .flatMap((ip) => parseAddress(ip) ?? []);
  return { service, endpoints: addresses.map((address) => ({ address, ports })) };
}

/** Where a connection to a Service ends up: a pod or a bare address, and the port there. */
export type Backend =
  | { readonly pod: Pod; readonly port?: number }
  | { readonly address: Address; readonly port?: number };

/** The real destinations behind a Service (S1.9); undefined where the input does not tell. */
export function backendsOf(
  cluster: Cluster,
  service: Service,
  port: ServicePort | undefined,
): readonly Backend[] | undefined {
  if (service.endpoints !== undefined)
    return service.endpoints.map(({ address, ports }) => {
      const target = port === undefined ? undefined : ports[port.name ?? ""];
      const pod = podAt(cluster, address);
      return {
        ...(pod === undefined ? { address } : { pod }),
        ...(target === undefined ? {} : { port: target }),
      };
    });
  if (service.selector === undefined) return undefined;
  const { selector } = service;
  return [...cluster.pods.values()]
    .filter((pod) => pod.namespace === service.namespace && selects(selector, pod.labels))
    .map((pod) => {
      const target = port === undefined ? undefined : targetOn(pod, port);
      return { pod, ...(target === undefined ? {} : { port: target }) };
    });
}

function targetOn(pod: Pod, { targetPort, protocol: wanted }: ServicePort): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  return pod.ports.find((port) => port.name === targetPort && port.protocol === wanted)?.port;
}

/** The pod with its own network that has this address. */
export function podAt(cluster: Cluster, address: Address): Pod | undefined {
  for (const pod of cluster.pods.values())
    if (
      !pod.hostNetwork &&
      pod.addresses.some((a) => a.family === address.family && a.value === address.value)
    )
      return pod;
  return undefined;
}
