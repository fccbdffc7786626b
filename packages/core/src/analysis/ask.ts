import type { Cluster } from "../cluster/model.js";
import { type Backend, backendsOf } from "../cluster/service.js";
import { diagnostic } from "../diagnostics/diagnostic.js";
import { failed, ok, type Result } from "../diagnostics/result.js";
import { type ConnectionVerdict, evaluate, type Verdict } from "../evaluate/evaluate.js";
import { type Endpoint, type Flow, formatEndpoint } from "../evaluate/flow.js";
import type { Family } from "../net/address.js";
import type { Protocol } from "../policy/model.js";
import type { EndpointRef, PortRef } from "./endpoint-ref.js";
import { podEndpoint, type Resolved, resolve } from "./resolve.js";
import type { State } from "./state.js";

export interface Question {
  readonly from: EndpointRef;
  readonly to: EndpointRef;
  readonly port: PortRef;
}

/** Two ends that can talk, in one address family; the port is still open. */
export type Pair = Omit<Flow, "protocol" | "port">;

/** One connection that the question may mean: several for workloads, Services, and dual stack. */
export interface Candidate {
  readonly pair: Pair;
  /** The ports asked about; undefined is all of them. */
  readonly port: { readonly protocol: Protocol; readonly port: number } | undefined;
}

export interface Answer {
  readonly flow: Flow;
  readonly connection: ConnectionVerdict;
}

/** "Mixed" where the connections that a question means do not agree. */
export type OverallVerdict = Verdict | "Mixed";

/** The connections a question is about. */
export function candidatesFor(
  state: State,
  question: Question,
): Result<{ readonly from: Resolved; readonly to: Resolved; readonly candidates: readonly Candidate[] }> {
  const from = resolve(state.cluster, question.from);
  if (!from.ok) return from;
  const to = resolve(state.cluster, question.to);
  if (!to.ok) return to;
  if (from.value.service !== undefined)
    return failed(
      diagnostic("TW1501", `${from.value.label} cannot open connections; name the pod or workload that does`),
    );

  const destinations = destinationsOf(state.cluster, to.value, question.port);
  if (!destinations.ok) return destinations;
  const candidates = from.value.endpoints.flatMap((source) =>
    destinations.value.flatMap(({ endpoint, port }) =>
      familiesOf(state.cluster, from.value, source, to.value, endpoint).map((family): Candidate => {
        const toItself = to.value.service === undefined && isSamePod(source, endpoint);
        return {
          pair: {
            source,
            destination: endpoint,
            ...(family === undefined ? {} : { family }),
            ...(toItself ? { toItself } : {}),
          },
          port,
        };
      }),
    ),
  );
  if (candidates.length === 0)
    return failed(
      diagnostic(
        "TW1505",
        `${from.value.label} and ${to.value.label} have no address family in common, so they cannot talk at all`,
      ),
    );
  return ok({ from: from.value, to: to.value, candidates });
}

/** The verdict for a question about one port. */
export function ask(
  state: State,
  question: Question,
): Result<{
  readonly from: Resolved;
  readonly to: Resolved;
  readonly verdict: OverallVerdict;
  readonly answers: readonly Answer[];
}> {
  const found = candidatesFor(state, question);
  if (!found.ok) return found;
  const answers = found.value.candidates.map(({ pair, port }) => {
    const flow: Flow = { ...pair, ...(port ?? { protocol: "TCP", port: 0 }) };
    return { flow, connection: evaluate(state.cluster, state.tiers, flow) };
  });
  return ok({
    from: found.value.from,
    to: found.value.to,
    verdict: overall(answers.map((a) => a.connection.verdict)),
    answers,
  });
}

export function overall(verdicts: readonly Verdict[]): OverallVerdict {
  const [first] = verdicts;
  return first !== undefined && verdicts.every((verdict) => verdict === first) ? first : "Mixed";
}

interface Destination {
  readonly endpoint: Endpoint;
  readonly port: Candidate["port"];
}

function destinationsOf(cluster: Cluster, to: Resolved, port: PortRef): Result<readonly Destination[]> {
  if (to.service !== undefined) return behindService(cluster, to.service, port, to.family);
  const destinations: Destination[] = [];
  for (const endpoint of to.endpoints) {
    const ports = portsOn(endpoint, port);
    if (!ports.ok) return ports;
    destinations.push(...ports.value.map((p) => ({ endpoint, port: p })));
  }
  return ok(destinations);
}

function portsOn(endpoint: Endpoint, port: PortRef): Result<readonly Candidate["port"][]> {
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
      return failed(
        diagnostic(
          "TW1504",
          `${formatEndpoint(endpoint)} has no port named \`${port.name}\`${port.protocol === undefined ? "" : ` for ${port.protocol}`}; ${has}`,
        ),
      );
    }
  }
}

// S1.9: the real destinations, with the ports that the Service's are mapped to.
function behindService(
  cluster: Cluster,
  service: NonNullable<Resolved["service"]>,
  port: PortRef,
  family: Family | undefined,
): Result<readonly Destination[]> {
  const name = `Service ${service.namespace}/${service.name}`;
  const mapped =
    port.kind === "all" || port.kind === "icmp" ? [undefined] : service.ports.filter((p) => isAsked(p, port));
  if (mapped.length === 0) {
    const has = service.ports
      .map((p) => `${p.name === undefined ? "" : `${p.name} `}${p.port}/${p.protocol}`)
      .join(", ");
    return failed(diagnostic("TW1504", `${name} has no such port; it has ${has || "none"}`));
  }
  const destinations: Destination[] = [];
  for (const servicePort of mapped) {
    const backends = backendsOf(cluster, service, servicePort);
    if (backends === undefined || backends.length === 0)
      return failed(
        diagnostic("TW1506", `the endpoints of ${name} are not in the input`, {
          hint: "Policies judge the endpoint behind a Service: add its pods or its EndpointSlices to the input.",
        }),
      );
    for (const backend of backends) {
      const endpoint: Endpoint =
        "pod" in backend ? podEndpoint(cluster, backend.pod) : addressEndpoint(cluster, backend);
      if (family !== undefined && endpoint.kind === "external" && endpoint.address.family !== family)
        continue;
      destinations.push({ endpoint, port: portBehind(port, servicePort, backend) });
    }
  }
  return ok(destinations);
}

function portBehind(
  port: PortRef,
  servicePort: { protocol: Exclude<Protocol, "ICMP">; port: number } | undefined,
  backend: Backend,
): Candidate["port"] {
  if (servicePort === undefined) return port.kind === "icmp" ? { protocol: "ICMP", port: 0 } : undefined;
  return { protocol: servicePort.protocol, port: backend.port ?? servicePort.port };
}

function addressEndpoint(cluster: Cluster, { address }: Extract<Backend, { address: unknown }>): Endpoint {
  for (const node of cluster.nodes.values())
    if (node.addresses.some((a) => a.family === address.family && a.value === address.value))
      return { kind: "node", node, address };
  return { kind: "external", address };
}

function isAsked(
  servicePort: { name?: string; port: number; protocol: string },
  port: Extract<PortRef, { kind: "number" | "named" }>,
): boolean {
  const sameProtocol = port.protocol === undefined || port.protocol === servicePort.protocol;
  return (
    sameProtocol && (port.kind === "number" ? port.port === servicePort.port : port.name === servicePort.name)
  );
}

/** S1.6: the very same pod, not another replica that its template stands for. */
function isSamePod(a: Endpoint, b: Endpoint): boolean {
  return a.kind === "pod" && b.kind === "pod" && a.pod === b.pod && a.pod.fromTemplate !== true;
}

/** S1.15: the families both ends have; [undefined] where neither tells. */
function familiesOf(
  cluster: Cluster,
  from: Resolved,
  source: Endpoint,
  to: Resolved,
  destination: Endpoint,
): readonly (Family | undefined)[] {
  const a = from.family === undefined ? knownFamilies(cluster, source) : [from.family];
  const b = to.family === undefined ? knownFamilies(cluster, destination) : [to.family];
  if (a.length === 0) return b.length === 0 ? [undefined] : b;
  return b.length === 0 ? a : a.filter((family) => b.includes(family));
}

function knownFamilies(cluster: Cluster, endpoint: Endpoint): readonly Family[] {
  const distinct = (families: readonly Family[]) => [...new Set(families)].toSorted((a, b) => a - b);
  if (endpoint.kind === "external") return [endpoint.address.family];
  if (endpoint.kind === "node")
    return distinct(
      (endpoint.address === undefined ? endpoint.node.addresses : [endpoint.address]).map((a) => a.family),
    );
  const { pod } = endpoint;
  if (pod.addresses.length > 0) return distinct(pod.addresses.map((a) => a.family));
  if (pod.hostNetwork)
    return distinct((cluster.nodes.get(pod.node ?? "")?.addresses ?? []).map((a) => a.family));
  return distinct(cluster.facts.podCidrs.map((c) => c.family));
}
