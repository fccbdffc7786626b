import { visible } from "../../diagnostics/visible.js";
import type { Cluster, Service } from "../../cluster/model.js";
import { addressesOfNode } from "../../cluster/node.js";
import { type Endpoint, type Flow, subjectOf } from "../../evaluate/flow.js";
import { type Address, formatAddress } from "../../net/address.js";
import { type Cidr, contains } from "../../net/cidr.js";
import { candidatesFor } from "../explain/ask.js";
import type { EndpointRef } from "../endpoints/endpoint-ref.js";
import { podEndpoint } from "../endpoints/resolve.js";
import type { State } from "../../state/state.js";
import type { Observation, ObservedEnd } from "./observation.js";

/** The connections that an observation means in a state, usually one; or why they are unknown. */
export type MeantFlows =
  | { readonly kind: "flows"; readonly flows: readonly Flow[] }
  | { readonly kind: "unknown"; readonly who: string; readonly why: UnknownWhy };

export const unknownReasons = {
  pod: "pods that are not in the input",
  node: "nodes that are not in the input",
  service: "Services whose endpoints are not in the input",
  other: "endpoints that cannot be found or cannot connect",
} as const;
export type UnknownWhy = keyof typeof unknownReasons;

/** Finds observed endpoints with indexes, without searching the cluster for each record. */
export class ObservedEndpoints {
  private readonly atAddress = new Map<string, Endpoint>();
  /** Addresses that several pods report (S1.17). */
  private readonly shared = new Set<string>();
  private readonly services = new Map<string, Service>();
  private readonly podRanges: readonly Cidr[];

  constructor(private readonly state: State) {
    const { cluster } = state;
    this.podRanges = [...cluster.nodes.values()].flatMap(({ podRanges = [] }) => podRanges);
    for (const service of cluster.services)
      for (const address of service.addresses) this.services.set(formatAddress(address), service);
    for (const [end, addresses] of endsByRank(cluster))
      for (const address of addresses) {
        const key = formatAddress(address);
        const known = this.atAddress.get(key);
        if (known === undefined) this.atAddress.set(key, end.kind === "node" ? { ...end, address } : end);
        else if (subjectOf(known) !== undefined && subjectOf(end) !== undefined) this.shared.add(key);
      }
  }

  meantBy({ from, to, port, rewritten }: Observation): MeantFlows {
    const [source, destination] = [this.find(from), this.find(to)];
    if (source.kind === "unknown") return source;
    if (destination.kind === "unknown") return destination;
    const family = familyOf(from) ?? familyOf(to);
    const isPlain = source.kind === "end" && destination.kind === "end" && family !== undefined;
    if (!isPlain || port.kind === "named")
      return this.asked(from, to, refOf(source, from), refOf(destination, to), port);
    const [a, b] = [source.end, destination.end];
    const isSame = a.kind === "pod" && b.kind === "pod" && a.pod === b.pod && a.pod.fromTemplate !== true;
    const flow: Flow = {
      source: a,
      destination: b,
      ...(port.kind === "icmp"
        ? { protocol: "ICMP", port: 0 }
        : { protocol: port.protocol, port: port.port }),
      family,
      // S1.6
      ...(isSame && rewritten !== true ? { toItself: true } : {}),
    };
    return { kind: "flows", flows: [flow] };
  }

  private find(end: ObservedEnd): Found {
    switch (end.kind) {
      case "pod":
        return this.findPod(end);
      case "address":
        return this.findAddress(end.address, end.claimed);
      case "written":
        return { kind: "ref", ref: end.ref };
    }
  }

  /** A pod by its name; a deleted one by a pod of the same workload, which policies usually treat the same. */
  private findPod({ namespace, name, workload }: Extract<ObservedEnd, { kind: "pod" }>): Found {
    const { cluster } = this.state;
    const pod = cluster.pods.get(`${namespace}/${name}`);
    if (pod !== undefined) return { kind: "end", end: podEndpoint(cluster, pod) };
    const made = cluster.workloads.find(
      (other) =>
        other.namespace === namespace && other.name === workload?.name && other.kind === workload.kind,
    );
    const [first] = made?.pods ?? [];
    if (first !== undefined) return { kind: "end", end: podEndpoint(cluster, first) };
    return { kind: "unknown", who: visible(`${namespace}/${workload?.name ?? name}`), why: "pod" };
  }

  private findAddress(address: Address, claimed: "node" | "pod" | undefined): Found {
    const key = formatAddress(address);
    const known = this.atAddress.get(key);
    // A load balancer may share an address with a node: then the port determines which one answers.
    if (this.services.has(key) || this.shared.has(key))
      return { kind: "ref", ref: { kind: "address", address } };
    if (known !== undefined) return { kind: "end", end: known };
    const { podCidrs, serviceCidrs } = this.state.cluster.facts;
    const isIn = (ranges: typeof podCidrs) => ranges.some((range) => contains(range, address));
    if (claimed !== undefined) return { kind: "unknown", who: key, why: claimed };
    if (isIn(podCidrs)) return { kind: "unknown", who: key, why: "pod" };
    if (isIn(serviceCidrs)) return { kind: "unknown", who: key, why: "service" };
    // S1.16: it may be the node's.
    if (isIn(this.podRanges)) return { kind: "ref", ref: { kind: "address", address } };
    return { kind: "end", end: { kind: "external", address } };
  }

  /** The general case, for names of several endpoints and for Services. */
  private asked(
    from: ObservedEnd,
    to: ObservedEnd,
    source: EndpointRef,
    destination: EndpointRef,
    port: Observation["port"],
  ): MeantFlows {
    const found = candidatesFor(this.state, { from: source, to: destination, port });
    if (found.ok)
      return {
        kind: "flows",
        flows: found.value.candidates.flatMap(({ pair, port: asked }) =>
          asked === undefined ? [] : [{ ...pair, ...asked }],
        ),
      };
    const why = found.diagnostic.code === "TW1506" ? "service" : "other";
    return { kind: "unknown", who: visible(`${textOf(from)} → ${textOf(to)}`), why };
  }
}

type Found =
  | { readonly kind: "end"; readonly end: Endpoint }
  | { readonly kind: "ref"; readonly ref: EndpointRef }
  | Extract<MeantFlows, { kind: "unknown" }>;

/** The owners of an address by precedence: pods, then nodes, then host-network pods. */
function endsByRank(cluster: Cluster): readonly (readonly [Endpoint, readonly Address[]])[] {
  const pods = [...cluster.pods.values()];
  const ofPods = (hostNetwork: boolean) =>
    pods
      .filter((pod) => pod.hostNetwork === hostNetwork)
      .map((pod) => [podEndpoint(cluster, pod), pod.addresses] as const);
  const nodes = [...cluster.nodes.values()].map(
    (node) => [{ kind: "node", node }, addressesOfNode(node)] as const,
  );
  return [...ofPods(false), ...nodes, ...ofPods(true)];
}

const familyOf = (end: ObservedEnd) => (end.kind === "written" ? undefined : end.address?.family);

function refOf(found: Exclude<Found, { kind: "unknown" }>, end: ObservedEnd): EndpointRef {
  if (found.kind === "ref") return found.ref;
  if (end.kind === "address") return { kind: "address", address: end.address };
  const { end: known } = found;
  return known.kind === "pod"
    ? { kind: "workload", workload: "Pod", namespace: known.pod.namespace, name: known.pod.name }
    : known.kind === "node"
      ? { kind: "node", name: known.node.name }
      : { kind: "address", address: known.address };
}

function textOf(end: ObservedEnd): string {
  switch (end.kind) {
    case "pod":
      return `${end.namespace}/${end.name}`;
    case "address":
      return formatAddress(end.address);
    case "written":
      return end.text;
  }
}
