import type { Cluster, Service, ServicePort } from "../../cluster/model.js";
import { type Backend, backendsOf } from "../../cluster/service.js";
import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { failed, ok, type Result, refused } from "../../diagnostics/result.js";
import { type ConnectionVerdict, evaluate, type Verdict } from "../../evaluate/evaluate.js";
import { type Endpoint, type Flow, formatEndpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { Protocol } from "../../policy/model.js";
import type { EndpointRef, PortRef } from "../endpoints/endpoint-ref.js";
import { endpointsAt, isAsked, podEndpoint, type Resolved, resolve } from "../endpoints/resolve.js";
import type { State } from "../../state/state.js";

/** A question about connections: source, destination and ports. */
export interface Question {
  readonly from: EndpointRef;
  readonly to: EndpointRef;
  readonly port: PortRef;
}

/** Two endpoints that can connect, in one address family; the port is not chosen yet. */
export type AskedPair = Omit<Flow, "protocol" | "port">;

/** One connection that the question may mean: several for workloads, Services, and dual stack. */
export interface Candidate {
  readonly pair: AskedPair;
  /** The port asked about; undefined is all of them. */
  readonly port: AskedPort | undefined;
}

export interface AskedPort {
  readonly protocol: Protocol;
  readonly port: number;
}

export interface Answer {
  readonly flow: Flow;
  readonly connection: ConnectionVerdict;
}

/** The verdict of all connections that a question means; "Mixed" if they differ. */
export type OverallVerdict = Verdict | "Mixed";

export interface Candidates {
  readonly from: Resolved;
  readonly to: Resolved;
  /** At least one. */
  readonly candidates: readonly Candidate[];
}

/** The connections a question is about. */
export function candidatesFor({ cluster }: Pick<State, "cluster">, question: Question): Result<Candidates> {
  const from = resolve(cluster, question.from, "source", question.port);
  if (!from.ok) return from;
  const to = resolve(cluster, question.to, "destination", question.port);
  if (!to.ok) return to;
  if (from.value.service !== undefined)
    return refused("TW1501", `${from.value.label} does not open connections; name a pod or workload`);
  const destinations = destinationsOf(cluster, to.value, question.port);
  if (!destinations.ok) return destinations;
  const candidates = from.value.endpoints.flatMap((source) =>
    destinations.value.flatMap((destination) => pairUp(cluster, from.value, source, destination)),
  );
  if (candidates.length > 0) return ok({ from: from.value, to: to.value, candidates });
  const message = `${from.value.label} and ${to.value.label} have no common address family, so no connection is possible`;
  return refused("TW1505", message);
}

/** The verdict for a question about one port. */
export function ask(
  state: Pick<State, "cluster" | "tiers">,
  question: Question,
): Result<{ readonly verdict: OverallVerdict; readonly answers: readonly Answer[] }> {
  const found = candidatesFor(state, question);
  if (!found.ok) return found;
  const answers = found.value.candidates.map(({ pair, port }) => {
    const flow: Flow = { ...pair, ...(port ?? { protocol: "TCP", port: 0 }) };
    return { flow, connection: evaluate(state.cluster, state.tiers, flow) };
  });
  return ok({ verdict: overall(answers.map((answer) => answer.connection.verdict)), answers });
}

export function overall(verdicts: readonly Verdict[]): OverallVerdict {
  const [first] = verdicts;
  return first !== undefined && verdicts.every((verdict) => verdict === first) ? first : "Mixed";
}

interface Destination {
  readonly endpoint: Endpoint;
  readonly port: AskedPort | undefined;
  /** The families that it can be reached by; empty if unknown. */
  readonly families: readonly Family[];
  /** Reached through an address that was rewritten. */
  readonly viaService: boolean;
}

function pairUp(cluster: Cluster, from: Resolved, source: Endpoint, destination: Destination): Candidate[] {
  const { endpoint, port, families, viaService } = destination;
  const samePod = !viaService && isSamePod(source, endpoint);
  // Between replicas, source and destination differ, unless there is only one replica.
  if (samePod && from.endpoints.length > 1) return [];
  const sourceFamilies = within(knownFamilies(cluster, source), from.family);
  return common(sourceFamilies, families).map((family) => ({
    pair: {
      source,
      destination: endpoint,
      ...(family === undefined ? {} : { family }),
      ...(samePod ? { toItself: true } : {}),
    },
    port,
  }));
}

function destinationsOf(cluster: Cluster, to: Resolved, port: PortRef): Result<readonly Destination[]> {
  if (to.service !== undefined) return behindService(cluster, to.service, port, to.family);
  const destinations: Destination[] = [];
  for (const endpoint of to.endpoints) {
    const ports = portsOn(endpoint, port);
    if (!ports.ok) return ports;
    const families = within(knownFamilies(cluster, endpoint), to.family);
    destinations.push(...ports.value.map((p) => ({ endpoint, port: p, families, viaService: false })));
  }
  return ok(destinations);
}

function portsOn(endpoint: Endpoint, port: PortRef): Result<readonly (AskedPort | undefined)[]> {
  switch (port.kind) {
    case "all":
      return ok([undefined]);
    case "icmp":
      return ok([{ protocol: "ICMP", port: 0 }]);
    case "number":
      return ok([{ protocol: port.protocol, port: port.port }]);
    case "named": {
      const declared = endpoint.kind === "pod" ? endpoint.pod.ports : [];
      const found = declared.filter(
        (p) => p.name === port.name && (port.protocol === undefined || p.protocol === port.protocol),
      );
      if (found.length > 0) return ok(found.map((p) => ({ protocol: p.protocol, port: p.port })));
      const names = declared.flatMap((p) =>
        p.name === undefined ? [] : `${p.name} (${p.port}/${p.protocol})`,
      );
      const has = names.length === 0 ? "it declares no named ports" : `it has ${names.join(", ")}`;
      const asked = `\`${port.name}\`${port.protocol === undefined ? "" : ` for ${port.protocol}`}`;
      return refused("TW1504", `${formatEndpoint(endpoint)} has no port named ${asked}; ${has}`);
    }
  }
}

// S1.9: the real destinations, with the ports that the Service's are mapped to.
function behindService(
  cluster: Cluster,
  service: Service,
  port: PortRef,
  asked: Family | undefined,
): Result<readonly Destination[]> {
  const name = `Service ${service.namespace}/${service.name}`;
  const mappings = mappingsFor(service, port);
  if (mappings.length === 0) {
    const has = service.ports.map(
      (p) => `${p.name === undefined ? "" : `${p.name} `}${p.port}/${p.protocol}`,
    );
    const hint = behindPort(cluster, service, port);
    return refused("TW1504", `${name} has no such port; it has ${has.join(", ") || "none"}`, { hint });
  }
  const serviceFamilies = asked === undefined ? service.families : [asked];
  const destinations: Destination[] = [];
  for (const { servicePort, direct } of mappings) {
    const backends = backendsOf(cluster, service, servicePort);
    if (backends === undefined) return failed(unknownBackends(`the endpoints of ${name} are`));
    for (const backend of backends) {
      if (backend.unknownPod !== undefined)
        return failed(unknownBackends(`pod ${backend.unknownPod}, an endpoint of ${name}, is`));
      const target = direct ?? { port: mapped(servicePort, backend) };
      if (direct === undefined && target.port === undefined) continue;
      for (const endpoint of endpointsBehind(cluster, backend)) {
        // A slice lists a pod by one of its addresses, and forwards only to that one.
        const reachable =
          backend.address === undefined ? knownFamilies(cluster, endpoint) : [backend.address.family];
        const families = serviceFamilies.length === 0 ? reachable : common(reachable, serviceFamilies);
        if (families.length === 0 && serviceFamilies.length > 0) continue;
        destinations.push({
          endpoint,
          port: target.port,
          families: families.filter((family) => family !== undefined),
          viaService: !service.headless,
        });
      }
    }
  }
  if (destinations.length > 0) return ok(destinations);
  return refused("TW1506", `${name} has no endpoint for this`, {
    hint: "It has no pod or ready endpoint on this port and address family.",
  });
}

/** A hint if the question uses the target port of a Service instead of its own port. */
function behindPort(cluster: Cluster, service: Service, port: PortRef): string | undefined {
  if (port.kind !== "number") return undefined;
  const through = service.ports.find((servicePort) =>
    backendsOf(cluster, service, servicePort)?.some((backend) => backend.port === port.port),
  );
  return through === undefined
    ? undefined
    : `Port ${port.port} is a target port: use port ${through.port} of the Service.`;
}

function unknownBackends(who: string): Diagnostic {
  return diagnostic("TW1506", `${who} not in the input`, {
    hint: "Policies are evaluated for the endpoints of a Service. Add its pods and EndpointSlices to the input.",
  });
}

interface Mapping {
  readonly servicePort: ServicePort | undefined;
  /** If nothing is rewritten, the port of the question is that of the endpoint; undefined is every port. */
  readonly direct?: { readonly port: AskedPort | undefined };
}

function mappingsFor(service: Service, port: PortRef): readonly Mapping[] {
  if (port.kind === "icmp")
    return [{ servicePort: undefined, direct: { port: { protocol: "ICMP", port: 0 } } }];
  if (service.headless && port.kind === "all")
    return [{ servicePort: undefined, direct: { port: undefined } }];
  if (service.headless && port.kind === "number")
    return [{ servicePort: undefined, direct: { port: { protocol: port.protocol, port: port.port } } }];
  const asked = service.ports.filter((p) =>
    port.kind === "all" ? port.protocol === undefined || port.protocol === p.protocol : isAsked(p, port),
  );
  return asked.map((servicePort) => ({ servicePort }));
}

function mapped(servicePort: ServicePort | undefined, backend: Backend): AskedPort | undefined {
  if (servicePort === undefined || backend.port === undefined) return undefined;
  return { protocol: servicePort.protocol, port: backend.port };
}

function endpointsBehind(cluster: Cluster, backend: Backend): readonly Endpoint[] {
  return backend.pod === undefined
    ? endpointsAt(cluster, backend.address)
    : [podEndpoint(cluster, backend.pod)];
}

/** S1.6: the same pod, not another replica of the same template. */
function isSamePod(a: Endpoint, b: Endpoint): boolean {
  return a.kind === "pod" && b.kind === "pod" && a.pod === b.pod && a.pod.fromTemplate !== true;
}

/** S1.15: the families that both endpoints have; [undefined] if unknown. */
function common(a: readonly Family[], b: readonly Family[]): readonly (Family | undefined)[] {
  if (a.length === 0) return b.length === 0 ? [undefined] : distinct(b);
  return b.length === 0 ? a : a.filter((family) => b.includes(family));
}

/** An endpoint that is named by an address has only the family of that address. */
function within(known: readonly Family[], asked: Family | undefined): readonly Family[] {
  return asked === undefined ? known : [asked];
}

const distinct = (families: readonly Family[]): readonly Family[] =>
  [...new Set(families)].toSorted((a, b) => a - b);

function knownFamilies(cluster: Cluster, endpoint: Endpoint): readonly Family[] {
  switch (endpoint.kind) {
    case "external":
      return [endpoint.address.family];
    case "node": {
      const { node, address } = endpoint;
      return distinct((address === undefined ? node.addresses : [address]).map((a) => a.family));
    }
    case "pod": {
      const { pod } = endpoint;
      if (pod.addresses.length > 0) return distinct(pod.addresses.map((a) => a.family));
      const known = pod.hostNetwork
        ? (cluster.nodes.get(pod.node ?? "")?.addresses ?? [])
        : cluster.facts.podCidrs;
      return distinct(known.map((a) => a.family));
    }
  }
}
