import type { Cluster } from "../../cluster/model.js";
import { explore } from "../../evaluate/facts.js";
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

/** How a rule stands to a connection whose subject it selects. */
export interface Fit {
  readonly peer: "yes" | "no" | "maybe";
  readonly port: boolean;
}

export function fitOf(rule: Rule, subject: PodEndpoint, other: Endpoint, flow: Flow, cluster: Cluster): Fit {
  const outcomes = new Set(
    explore((unknowns) => anyPeerMatches(rule, subject, other, { flow, cluster, unknowns })).map(
      (run) => run.value,
    ),
  );
  return {
    peer: outcomes.size === 2 ? "maybe" : outcomes.has(true) ? "yes" : "no",
    port: portsMatch(rule.ports, flow),
  };
}

/** The part that failed, in words; undefined where the rule fits. */
export function whyNot(
  rule: Rule,
  fit: Fit,
  subject: PodEndpoint,
  other: Endpoint,
  flow: Flow,
  cluster: Cluster,
): string | undefined {
  if (rule.failedClosed !== undefined && rule.action === "Allow") return rule.failedClosed;
  const parts = [
    ...(fit.peer === "no" ? [whyNotPeer(rule, subject, other, flow, cluster)] : []),
    ...(fit.port ? [] : [whyNotPort(rule, flow)]),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

function whyNotPort(rule: Rule, flow: Flow): string {
  const asked = flow.protocol === "ICMP" ? "ICMP" : `${flow.port}/${flow.protocol}`;
  return `it is for ${describePorts(rule.ports)}, not ${asked}`;
}

function whyNotPeer(rule: Rule, subject: PodEndpoint, other: Endpoint, flow: Flow, cluster: Cluster): string {
  const [first, ...rest] = rule.peers;
  if (first === undefined) return "it has no peers, so it matches nothing";
  const reason = whyNotThis(first, subject, other, flow, cluster);
  return rest.length === 0 ? reason : `none of its ${rule.peers.length} peers fits (${reason}; …)`;
}

function whyNotThis(peer: Peer, subject: PodEndpoint, other: Endpoint, flow: Flow, cluster: Cluster): string {
  const name = formatEndpoint(other);
  if (peer.kind === "pods") {
    if (other.kind !== "pod")
      return `it selects pods, and ${name} is ${other.kind === "node" ? "a node" : "outside the cluster"}`;
    if (other.pod.hostNetwork) return `it selects pods with their own network, and ${name} uses its node's`;
    return (
      whyNotSet(
        peer.namespaces,
        `namespace ${other.namespace.name}`,
        subject.namespace.labels,
        other.namespace.labels,
        subject,
        other,
      ) ??
      whyNotSet(peer.pods, name, subject.pod.labels, other.pod.labels, subject, other) ??
      whyNotLabels(peer.account ?? [], `the account of ${name}`, {
        serviceaccount: other.pod.serviceAccount,
      }) ??
      `it is for ${describePeer(peer)}`
    );
  }
  if (peer.kind === "networks" && peer.reach === "external" && other.kind !== "external")
    return `its CIDRs are for addresses outside the cluster, and ${name} is inside`;
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
  if (peer.kind === "nodes" && other.kind !== "node") return `it selects nodes, and ${name} is not one`;
  // Reached only where nothing more exact is to be said; the peer itself is the best answer.
  return explore((unknowns) => peerMatches(peer, subject, other, { flow, cluster, unknowns })).every(
    (run) => !run.value,
  )
    ? `it is for ${describePeer(peer)}`
    : "another part of it fails";
}

function whyNotSet(
  set: NamespaceSet,
  who: string,
  subject: Labels,
  other: Labels,
  a: PodEndpoint,
  b: PodEndpoint,
): string | undefined {
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
      const compared = set.keys.map(
        (key) =>
          `same ${key}? ${Object.hasOwn(subject, key) && subject[key] === other[key] ? "yes" : "no"} (subject ${show(subject, key)}, peer ${show(other, key)})`,
      );
      const same = set.keys.filter(
        (key) => Object.hasOwn(subject, key) && subject[key] === other[key],
      ).length;
      const fits =
        set.keys.length > 0 && (set.kind === "same-labels" ? same === set.keys.length : same === 0);
      return fits
        ? undefined
        : set.keys.length === 0
          ? "its list of labels is empty, so it selects nothing"
          : compared.join(", ");
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
  return `${who} ${has}; wanted is ${formatRequirement(failing)}`;
}
