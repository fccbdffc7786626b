import { namespaceNameLabel, type Labels } from "../src/labels/requirement.js";
import type { Cluster } from "../src/cluster/model.js";
import { addressesOf, namedPorts } from "../src/evaluate/match.js";
import type { Endpoint, Flow } from "../src/evaluate/flow.js";
import { type Direction, directions } from "../src/policy/model.js";
import {
  endKinds,
  type Encoding,
  type End,
  type EndKind,
  ends,
  type LabelPair,
  type LabelScope,
  type OwnerAct,
  ownerActs,
  protocols,
} from "../src/prove/encode/index.js";
import { type Literal, not, TRUE } from "../src/prove/sat/index.js";

/** What the owners of the namespaces wrote. */
export type OwnersActs = Readonly<Record<Direction, readonly OwnerAct[]>>;

/**
 * Literals for everything that one connection of one cluster leaves open. What follows from them is left to the encoding:
 * which labels are equal, for example. Facts are by the keys of the encoding.
 */
export function fixedConnection(
  { connection, asWritten }: Encoding,
  cluster: Cluster,
  flow: Flow,
  facts: ReadonlyMap<string, boolean>,
  owners: OwnersActs,
): readonly Literal[] {
  const fixed: Literal[] = [asWritten];
  const fix = (literal: Literal, value: boolean) => fixed.push(value ? literal : not(literal));
  const of = (end: End): Endpoint => flow[end];
  for (const end of ends)
    for (const kind of endKinds) fix(connection.is(end, kind), kindOf(of(end)) === kind);
  for (const [scope, byKey] of connection.labels)
    for (const [key, pair] of byKey) {
      const [from, to] = ends.map((end) => labelsOf(of(end), scope, cluster));
      for (const [end, labels] of [
        ["source", from],
        ["destination", to],
      ] as const) {
        if (labels === undefined) continue;
        const found = Object.hasOwn(labels, key) ? labels[key] : undefined;
        if (pair.present(end) !== TRUE) fix(pair.present(end), found !== undefined);
        for (const [value, literal] of pair[end].values) fix(literal, value === found);
      }
      if (from !== undefined && to !== undefined && equalityIsOpen(scope, key, pair, from, to))
        fix(pair.equal(), from[key] === to[key]);
    }
  const family = flow.family!;
  fix(connection.family(4), family === 4);
  for (const end of ends) {
    const [address] = addressesOf(of(end), { cluster, flow });
    const value = connection.address(end, family);
    for (const bound of value.bounds) fix(value.atLeast(bound), address!.value >= bound);
  }
  for (const protocol of protocols) fix(connection.protocol(protocol), flow.protocol === protocol);
  if (flow.protocol !== "ICMP")
    for (const bound of connection.port.bounds)
      fix(connection.port.atLeast(bound), BigInt(flow.port) >= bound);
  for (const [name, literal] of connection.portNames)
    fix(
      literal,
      flow.protocol !== "ICMP" && namedPorts(flow.destination, name, flow.protocol).includes(flow.port),
    );
  fix(
    connection.ownNode,
    runsThere(flow.source, flow.destination) || runsThere(flow.destination, flow.source),
  );
  for (const direction of directions)
    for (const act of ownerActs) fix(connection.owners[direction][act], owners[direction].includes(act));
  for (const [key, literal] of connection.facts) fix(literal, facts.get(key) ?? false);
  return fixed;
}

/** Two values that nothing mentions may be equal or not, unless they are labels of one namespace. */
function equalityIsOpen(
  scope: LabelScope,
  key: string,
  { source, destination }: LabelPair,
  from: Labels,
  to: Labels,
): boolean {
  if (!Object.hasOwn(from, key) || !Object.hasOwn(to, key)) return false;
  if (source.values.has(from[key]!) || destination.values.has(to[key]!)) return false;
  const inOneNamespace = scope === "namespace" && from[namespaceNameLabel] === to[namespaceNameLabel];
  return key === namespaceNameLabel || !inOneNamespace;
}

export function kindOf(endpoint: Endpoint): EndKind {
  if (endpoint.kind !== "pod") return endpoint.kind;
  return endpoint.pod.hostNetwork ? "host-network pod" : "pod";
}

function labelsOf(endpoint: Endpoint, scope: LabelScope, cluster: Cluster): Labels | undefined {
  if (scope === "node") {
    if (endpoint.kind === "node") return endpoint.node.labels;
    return endpoint.kind === "pod" && endpoint.pod.hostNetwork
      ? cluster.nodes.get(endpoint.pod.node ?? "")?.labels
      : undefined;
  }
  if (endpoint.kind !== "pod" || endpoint.pod.hostNetwork) return undefined;
  if (scope === "namespace") return endpoint.namespace.labels;
  return scope === "pod" ? endpoint.pod.labels : { serviceaccount: endpoint.pod.serviceAccount };
}

/** Whether a pod with its own network runs on the node that is the other endpoint. */
function runsThere(pod: Endpoint, host: Endpoint): boolean {
  if (pod.kind !== "pod" || pod.pod.hostNetwork || kindOf(host) === "pod") return false;
  if (host.kind === "external") return false;
  return pod.pod.node === (host.kind === "node" ? host.node.name : host.pod.node);
}
