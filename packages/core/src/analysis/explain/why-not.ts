import type { Cluster } from "../../cluster/model.js";
import { explore, type Unknowns } from "../../evaluate/facts.js";
import { type Endpoint, type Flow, formatEndpoint, type PodEndpoint } from "../../evaluate/flow.js";
import { addressesOf, anyPeerMatches, peerMatches, portsMatch } from "../../evaluate/match.js";
import {
  holds,
  type LabelMatch,
  type Labels,
  formatRequirement,
  namespaceNameLabel,
} from "../../labels/requirement.js";
import { formatAddress } from "../../net/address.js";
import { contains, formatCidr } from "../../net/cidr.js";
import { describePeer, describePorts } from "../../policy/describe.js";
import type { NamespaceSet, Peer, Rule } from "../../policy/model.js";

/** How a rule matches a connection whose subject it selects. */
export interface Fit {
  readonly peer: "yes" | "no" | "maybe";
  readonly port: boolean;
}

/** A connection, seen from the endpoint whose policies are evaluated. */
export interface WalkedConnection {
  readonly subject: PodEndpoint;
  readonly other: Endpoint;
  readonly flow: Flow;
  readonly cluster: Cluster;
}

export function fitOf(rule: Rule, { subject, other, flow, cluster }: WalkedConnection): Fit {
  const peer = allRuns((unknowns) => anyPeerMatches(rule, subject, other, { flow, cluster, unknowns }));
  return { peer, port: portsMatch(rule.ports, flow) };
}

/** Whether something holds for all possible facts. */
export function allRuns(test: (unknowns: Unknowns) => boolean): Fit["peer"] {
  const outcomes = new Set(explore(test).map((run) => run.value));
  return outcomes.size === 2 ? "maybe" : outcomes.has(true) ? "yes" : "no";
}

/** The part that failed, in words; undefined if the rule matches. */
export function whyNot(rule: Rule, fit: Fit, connection: WalkedConnection): string | undefined {
  if (rule.failedClosed !== undefined && rule.action === "Allow") return rule.failedClosed;
  const parts = [
    ...(fit.peer === "no" ? [whyNotPeer(rule, connection)] : []),
    ...(fit.port ? [] : [whyNotPort(rule, connection.flow)]),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

function whyNotPort(rule: Rule, flow: Flow): string {
  const asked = flow.protocol === "ICMP" ? "ICMP" : `${flow.port}/${flow.protocol}`;
  return `it matches ${describePorts(rule.ports)}, not ${asked}`;
}

function whyNotPeer(rule: Rule, connection: WalkedConnection): string {
  const [first, ...rest] = rule.peers;
  if (first === undefined) return "it has no peers, so it matches nothing";
  const reason = whyNotThis(first, connection);
  return rest.length === 0 ? reason : `none of its ${rule.peers.length} peers matches (${reason}; …)`;
}

function whyNotThis(peer: Peer, { subject, other, flow, cluster }: WalkedConnection): string {
  const name = formatEndpoint(other);
  if (peer.kind === "pods") {
    if (other.kind !== "pod")
      return `it selects pods, but ${name} is ${other.kind === "node" ? "a node" : "outside the cluster"}`;
    if (other.pod.hostNetwork)
      return `it selects pods with their own network, but ${name} is a host-network pod`;
    return (
      whyNotSet(peer.namespaces, `namespace ${other.namespace.name}`, subject, other, "namespace") ??
      whyNotSet(peer.pods, name, subject, other, "pod") ??
      whyNotLabels(peer.account ?? [], `the service account of ${name}`, {
        serviceaccount: other.pod.serviceAccount,
      }) ??
      `it matches ${describePeer(peer)}`
    );
  }
  if (peer.kind === "networks" && peer.reach === "external" && other.kind !== "external")
    return `its CIDRs match addresses outside the cluster, but ${name} is inside`;
  if (peer.kind === "networks") {
    const addresses = addressesOf(other, { flow, cluster });
    const who =
      other.kind === "external" || addresses.length === 0
        ? name
        : `${name} (${addresses.map(formatAddress).join(", ")})`;
    const taken = peer.except.find((cidr) => addresses.some((address) => contains(cidr, address)));
    return taken === undefined
      ? `${who} is not in ${peer.cidrs.map(formatCidr).join(", ")}`
      : `${who} is in its exception ${formatCidr(taken)}`;
  }
  if (peer.kind === "nodes" && other.kind !== "node") return `it selects nodes, but ${name} is not a node`;
  // No more exact reason is known, so the peer itself is described.
  const fits = allRuns((unknowns) => peerMatches(peer, subject, other, { flow, cluster, unknowns }));
  return fits === "no" ? `it matches ${describePeer(peer)}` : "another part of it does not match";
}

function whyNotSet(
  set: NamespaceSet,
  who: string,
  a: PodEndpoint,
  b: PodEndpoint,
  of: "namespace" | "pod",
): string | undefined {
  const [subject, other] = [a[of].labels, b[of].labels];
  switch (set.kind) {
    case "selector":
      return whyNotLabels(set.match, who, other);
    case "self":
      return a.namespace.name === b.namespace.name
        ? undefined
        : `same namespace? no (${a.namespace.name}, ${b.namespace.name})`;
    case "not-self":
      return a.namespace.name === b.namespace.name
        ? `another namespace? no (both ${a.namespace.name})`
        : undefined;
    case "same-labels":
    case "not-same-labels": {
      const show = (labels: Labels, key: string) => (Object.hasOwn(labels, key) ? labels[key]! : "none");
      const isSame = (key: string) => Object.hasOwn(subject, key) && subject[key] === other[key];
      if (set.keys.length === 0) return "its list of labels is empty, so it selects nothing";
      if (set.keys.every((key) => isSame(key) === (set.kind === "same-labels"))) return undefined;
      const compared = set.keys.map(
        (key) =>
          `same ${key}? ${isSame(key) ? "yes" : "no"} (subject ${show(subject, key)}, peer ${show(other, key)})`,
      );
      return compared.join(", ");
    }
  }
}

function whyNotLabels(match: LabelMatch, who: string, labels: Labels): string | undefined {
  const failing = match.find((requirement) => !holds(requirement, labels));
  if (failing === undefined) return undefined;
  if (failing.key === namespaceNameLabel && failing.operator === "In")
    return `${who} is not ${failing.values.length === 1 ? failing.values[0] : `one of ${failing.values.join(", ")}`}`;
  const has = Object.hasOwn(labels, failing.key)
    ? `has ${failing.key}=${labels[failing.key]}`
    : `has no label ${failing.key}`;
  return `${who} ${has}; required: ${formatRequirement(failing)}`;
}
