import type { Cluster, Pod } from "../../src/cluster/model.js";
import type { Endpoint, Flow, PodEndpoint } from "../../src/evaluate/flow.js";
import type { LabelMatch, Labels } from "../../src/labels/requirement.js";
import type {
  Direction,
  NamespaceSet,
  Peer,
  PodSelection,
  PortMatch,
  Rule,
  Tier,
  Tiers,
} from "../../src/policy/model.js";
import {
  oracleAddresses,
  type Certainty,
  certain,
  oracleHolds,
  isOneOf,
  oracleNode,
  within,
} from "./oracle-addresses.js";
import { oracleDomains } from "./oracle-domains.js";

/*
 * An independent implementation of docs/semantics.md, to compare with the evaluator. It shares no
 * code with evaluate/ and works in reverse: every rule of a tier is matched first, then the smallest index
 * counts. An unknown fact makes a match a "maybe", and the answer a set: both verdicts may be in it.
 *
 * Unlike the evaluator, it does not see that two unknowns are related. So a set with one verdict is the verdict, and
 * where nothing is unknown there always is one; a set with both only means that Undecided is possible.
 */

type Outcome = "Allow" | "Deny";
export type OracleOutcomes = ReadonlySet<Outcome>;

export interface OracleVerdict {
  readonly egress: OracleOutcomes;
  readonly ingress: OracleOutcomes;
}

const just = (outcome: Outcome): OracleOutcomes => new Set([outcome]);
const all = (parts: readonly Certainty[]): Certainty =>
  parts.includes("no") ? "no" : parts.includes("maybe") ? "maybe" : "yes";
const some = (parts: readonly Certainty[]): Certainty =>
  parts.includes("yes") ? "yes" : parts.includes("maybe") ? "maybe" : "no";
const not = (value: Certainty): Certainty => (value === "maybe" ? value : certain(value === "no"));

export function oracle(cluster: Cluster, tiers: Tiers, flow: Flow): OracleVerdict {
  return {
    egress: outcomes("egress", flow.source, flow.destination, cluster, tiers, flow),
    ingress: outcomes("ingress", flow.destination, flow.source, cluster, tiers, flow),
  };
}

function outcomes(
  direction: Direction,
  end: Endpoint,
  other: Endpoint,
  cluster: Cluster,
  tiers: Tiers,
  flow: Flow,
): OracleOutcomes {
  // S1.4, S1.6
  if (end.kind !== "pod" || end.pod.hostNetwork || flow.toItself === true) return just("Allow");
  const matchOf = (rule: Rule) => matches(rule, end, other, cluster, flow);
  const ownNode = direction === "ingress" ? runsOn(end.pod, other) : "no";
  const walked = throughTiers(tiers[direction], end, matchOf);
  if (ownNode === "no") return walked;
  // S7.8
  const denied = some(tiers.ingress.flatMap(({ rules }) => rules.filter((r) => r.bindsOwnNode).map(matchOf)));
  const fromNode: readonly Outcome[] = [
    ...(denied === "no" ? [] : (["Deny"] as const)),
    ...(denied === "yes" ? [] : (["Allow"] as const)),
  ];
  return new Set([...fromNode, ...(ownNode === "maybe" ? walked : [])]);
}

/** S1.1 to S1.3, from the last tier to the first: what a tier leaves undecided is decided by those after it. */
function throughTiers(
  tiers: readonly Tier[],
  subject: PodEndpoint,
  matchOf: (rule: Rule) => Certainty,
): OracleOutcomes {
  return tiers.reduceRight<OracleOutcomes>((after, tier) => {
    const found = tier.rules.map((rule, index) => ({ rule, index, match: matchOf(rule) }));
    const first = Math.min(
      ...found.filter(({ match }) => match === "yes").map(({ index }) => index),
      Infinity,
    );
    const speaking = found.filter(({ match, index }) => match !== "no" && index <= first);
    const isolated = tier.isolation.some((entry) => selectsPod(entry.subject, subject));
    const silent = isolated ? just("Deny") : after;
    return new Set([
      ...speaking.flatMap(({ rule }) => [...spoken(rule, after)]),
      ...(first === Infinity ? silent : []),
    ]);
  }, just("Allow"));
}

function spoken(rule: Rule, after: OracleOutcomes): OracleOutcomes {
  if (rule.action === "Pass") return after;
  // S7.7
  if (rule.condition?.kind === "foreign") return new Set(["Allow", "Deny", ...after]);
  if (rule.action === "Allow" && rule.condition?.kind === "authentication") return new Set(["Allow", "Deny"]);
  return just(rule.action);
}

function matches(rule: Rule, subject: PodEndpoint, other: Endpoint, cluster: Cluster, flow: Flow): Certainty {
  const port = rule.ports === "every" || rule.ports.some((p) => portFits(p, flow));
  const peer = () => some(rule.peers.map((p) => peerFits(p, subject, other, cluster, flow)));
  return port && selectsPod(rule.subject, subject) ? peer() : "no";
}

// S1.10
export function selectsPod({ namespaces, pods, account = [] }: PodSelection, end: PodEndpoint): boolean {
  return (
    fits(namespaces, end.namespace.labels) &&
    fits(pods, end.pod.labels) &&
    fits(account, { serviceaccount: end.pod.serviceAccount })
  );
}

function fits(match: LabelMatch, labels: Labels): boolean {
  const has = new Map(Object.entries(labels));
  return match.every(({ key, operator, values }) => {
    const listed = has.has(key) && new Set(values).has(has.get(key)!);
    return { In: listed, NotIn: !listed, Exists: has.has(key), DoesNotExist: !has.has(key) }[operator];
  });
}

// S1.7, S1.8, S7.6, S7.11
function portFits(port: PortMatch, { protocol, port: number, destination, family }: Flow): boolean {
  if (port.kind === "icmp") {
    const echo = port.family === 4 ? [0, 8] : [0, 128];
    return protocol === "ICMP" && [undefined, port.family].includes(family) && echo.includes(port.type);
  }
  if (protocol === "ICMP" || ![undefined, protocol].includes(port.protocol)) return false;
  if (port.kind === "range") return port.first <= number && number <= port.last;
  const declared = destination.kind === "pod" && !destination.pod.hostNetwork ? destination.pod.ports : [];
  return declared.some((p) => p.name === port.name && p.protocol === protocol && p.port === number);
}

function peerFits(
  peer: Peer,
  subject: PodEndpoint,
  other: Endpoint,
  cluster: Cluster,
  flow: Flow,
): Certainty {
  const pod = other.kind === "pod" && !other.pod.hostNetwork ? other : undefined;
  const isExternal = other.kind === "external";
  switch (peer.kind) {
    case "everything":
      return "yes";
    case "pods":
      return certain(
        pod !== undefined &&
          setHas(peer.namespaces, subject.namespace, pod.namespace) &&
          setHas(peer.pods, subject.pod, pod.pod) &&
          fits(peer.account ?? [], { serviceaccount: pod.pod.serviceAccount }),
      );
    case "networks":
      if (peer.reach === "external" && !isExternal) return "no";
      return within(peer.cidrs, peer.except, other, cluster, flow);
    case "nodes": // S3.4
      return hostFits(peer.nodes, other, cluster);
    case "domains": // S8.2, S8.3
      if (peer.reach === "external" && !isExternal) return "no";
      return oracleDomains(
        peer.patterns,
        oracleAddresses(other, cluster, flow),
        isExternal,
        cluster.facts.dns,
      );
    case "entity":
      return all([
        entityFits(peer.entity, subject, other, cluster, flow),
        peer.nodes === undefined ? "yes" : hostFits(peer.nodes, other, cluster),
        peer.apiServer === undefined ? "yes" : serverFits(peer.apiServer, other, cluster, flow),
      ]);
    case "endpoints":
      return behindServices(peer.services, other, cluster, flow);
    case "cidr-group": {
      if (!isExternal || peer.except.some((c) => oracleHolds(c, other.address))) return "no";
      const groups = cluster.cidrGroups.filter(({ name, labels }) =>
        peer.labels === undefined ? name === peer.name : fits(peer.labels, labels),
      );
      if (groups.length === 0) return "maybe";
      return certain(groups.flatMap(({ cidrs }) => cidrs).some((c) => oracleHolds(c, other.address)));
    }
    case "unknown-set": // S7.11
      return isExternal || peer.reach === "every-address" ? "maybe" : "no";
  }
}

interface Labelled {
  readonly name: string;
  readonly labels: Labels;
}

// S5.4
function setHas(set: NamespaceSet, subject: Labelled, other: Labelled): boolean {
  if (set.kind === "selector") return fits(set.match, other.labels);
  if (set.kind === "self" || set.kind === "not-self")
    return (subject.name === other.name) === (set.kind === "self");
  const shared = set.keys.filter((key) => key in subject.labels && subject.labels[key] === other.labels[key]);
  const wanted = set.kind === "same-labels" ? set.keys.length : 0;
  return set.keys.length > 0 && shared.length === wanted;
}

/** Whether the other endpoint is the node, or in the network of the node, that the pod runs on (S1.6). */
export function runsOn(pod: Pod, other: Endpoint): Certainty {
  if (other.kind === "external" || (other.kind === "pod" && !other.pod.hostNetwork)) return "no";
  const host = other.kind === "node" ? other.node.name : other.pod.node;
  return pod.node === undefined || host === undefined ? "maybe" : certain(pod.node === host);
}

function hostFits(match: LabelMatch, other: Endpoint, cluster: Cluster): Certainty {
  if (other.kind === "external" || (other.kind === "pod" && !other.pod.hostNetwork)) return "no";
  const node = other.kind === "node" ? other.node : oracleNode(other.pod, cluster);
  if (match.length === 0) return "yes";
  return node?.labels === undefined ? "maybe" : certain(fits(match, node.labels));
}

// S7.5
function entityFits(
  entity: Extract<Peer, { kind: "entity" }>["entity"],
  subject: PodEndpoint,
  other: Endpoint,
  cluster: Cluster,
  flow: Flow,
): Certainty {
  const isHost = other.kind === "node" || (other.kind === "pod" && other.pod.hostNetwork);
  const isExternal = other.kind === "external";
  switch (entity) {
    case "world":
      return certain(isExternal);
    case "world-ipv4":
    case "world-ipv6":
      return certain(isExternal && other.address.family === (entity === "world-ipv4" ? 4 : 6));
    case "cluster":
      return certain(!isExternal);
    case "host":
      return runsOn(subject.pod, other);
    case "remote-node":
      return all([certain(isHost), not(runsOn(subject.pod, other))]);
    case "kube-apiserver":
      return isServer(other, cluster, flow);
  }
}

// S7.13
const serverFits = (wanted: boolean, other: Endpoint, cluster: Cluster, flow: Flow): Certainty =>
  wanted ? isServer(other, cluster, flow) : not(isServer(other, cluster, flow));

function isServer(other: Endpoint, cluster: Cluster, flow: Flow): Certainty {
  const servers = cluster.facts.apiServer;
  if (other.kind === "pod" && !other.pod.hostNetwork) return "no";
  // An endpoint without an address may be anywhere, also at the API server.
  if (servers === undefined || oracleAddresses(other, cluster, flow).length === 0) return "maybe";
  return certain(oracleAddresses(other, cluster, flow).some((a) => isOneOf(a, servers)));
}

// S7.11
function behindServices(
  { namespace, name, labels }: Extract<Peer, { kind: "endpoints" }>["services"],
  other: Endpoint,
  cluster: Cluster,
  flow: Flow,
): Certainty {
  const services = cluster.services.filter(
    (s) =>
      [undefined, s.namespace].includes(namespace) &&
      [undefined, s.name].includes(name) &&
      fits(labels ?? [], s.labels),
  );
  if (services.length === 0) return "maybe";
  return some(
    services.map(({ namespace, selector, endpoints }): Certainty => {
      if (endpoints !== undefined) {
        const addresses = endpoints.map(({ address }) => address);
        // S1.9: an endpoint that is a pod's address means that pod, in both families.
        const own =
          other.kind === "pod" && !other.pod.hostNetwork
            ? other.pod.addresses
            : oracleAddresses(other, cluster, flow);
        return certain(own.some((a) => isOneOf(a, addresses)));
      }
      if (selector === undefined) return "maybe";
      return certain(
        other.kind === "pod" && other.pod.namespace === namespace && fits(selector, other.pod.labels),
      );
    }),
  );
}
