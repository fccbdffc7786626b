import { firstOf } from "../diagnostics/summary.js";
import { visible } from "../diagnostics/visible.js";
import { formatMatch, type LabelMatch, namespaceNameLabel } from "../labels/requirement.js";
import { type Cidr, formatCidr } from "../net/cidr.js";
import {
  type Action,
  type Condition,
  type DomainPattern,
  formatPolicy,
  type NamespaceSet,
  type Peer,
  type PodSelection,
  type PortMatch,
  type Rule,
  type RuleOrigin,
} from "./model.js";

/** Rules in words: short, and in the user's terms. */

/** `ClusterNetworkPolicy guard rule 3 "no-other-tenants"`; people count rules from one. */
export function formatRule(origin: RuleOrigin): string {
  // S9.3: its rules are unknown.
  if (origin.policy.dialect === "foreign") return formatPolicy(origin.policy);
  if (origin.implementation !== undefined) return origin.implementation;
  const [, spec = "", section = ""] =
    /^(specs\[\d+\])?.*?(ingressDeny|egressDeny)?\[\d+\]$/.exec(origin.path) ?? [];
  const list = [spec, section].filter((part) => part !== "").map((part) => `${part} `);
  return `${formatPolicy(origin.policy)} ${list.join("")}rule ${origin.index + 1}${origin.name === undefined ? "" : ` ${quoted(origin.name)}`}`;
}

/** A quoted name, escaped so that it cannot affect the closing quote. */
export const quoted = (name: string): string => `"${name.split('"').map(closed).join('\\"')}"`;

/** With its last backslashes doubled: they do not escape what follows. */
function closed(part: string): string {
  let end = part.length;
  while (part[end - 1] === "\\") end--;
  return part + part.slice(end);
}

/** `pods with app=web in namespace shop`. */
export function describeSubject({ namespaces, pods, account }: PodSelection): string {
  return describePods({ kind: "selector", match: pods }, { kind: "selector", match: namespaces }, account);
}

/** `pods with app=web in namespace shop; 10.0.0.0/8`. */
export function describePeers(peers: readonly Peer[]): string {
  return peers.length === 0 ? "no peers" : peers.map(describePeer).join("; ");
}

/** What else must hold for an Allow, as a phrase after `conditional on`. */
export function describeCondition(condition: Condition): string {
  switch (condition.kind) {
    case "l7":
      return visible(`L7 (${condition.what})`);
    case "always":
      return visible(condition.what);
    case "authentication":
      return "mutual authentication";
    case "foreign":
      return condition.object;
  }
}

/** The action of a rule, for reports; that of a foreign object is unknown (S9.3). */
export const actionOf = ({ action, condition }: Pick<Rule, "action" | "condition">): Action | "Undecided" =>
  condition?.kind === "foreign" ? "Undecided" : action;

/** `allow`, `deny`, `pass`, `allow or deny`. */
export const actionWord = (rule: Pick<Rule, "action" | "condition">): string =>
  rule.condition?.kind === "foreign" ? "allow or deny" : rule.action.toLowerCase();

interface NamedObject {
  readonly object: string;
  readonly group: string;
}

/** S9.3, after "it is not known": `whether Calico GlobalNetworkPolicy guard allows or denies it (not evaluated; …)`. */
export function describeForeign(objects: readonly NamedObject[]): string {
  const { names, hint } = listedObjects(objects);
  const isOne = new Set(objects.map(({ object }) => object)).size === 1;
  return `whether ${names} ${isOne ? "allows or denies it" : "allow or deny it"} (${hint})`;
}

/** `Calico GlobalNetworkPolicy guard and 2 more (not evaluated; --ignore-api … leaves them out)`. */
export function describeObjects(objects: readonly NamedObject[]): string {
  const { names, hint } = listedObjects(objects);
  return `${names} (${hint})`;
}

function listedObjects(objects: readonly NamedObject[]): { readonly names: string; readonly hint: string } {
  const names = [...new Set(objects.map(({ object }) => object))];
  const groups = [...new Set(objects.map(({ group }) => group))];
  const ignoring = groups.map((group) => `--ignore-api ${group}`).join(" ");
  return {
    names: firstOf(names, 3),
    hint: `not evaluated; ${ignoring} leaves ${names.length === 1 ? "it" : "them"} out`,
  };
}

export function describePorts(ports: Rule["ports"]): string {
  if (ports === "every") return "every port";
  return ports.length === 0 ? "no port" : ports.map(describePort).join(", ");
}

export const describePort = (port: PortMatch): string => visible(portText(port));

function portText(port: PortMatch): string {
  switch (port.kind) {
    case "range":
      if (port.first === 1 && port.last === 65535) return `every ${port.protocol} port`;
      return `${port.first === port.last ? port.first : `${port.first}-${port.last}`}/${port.protocol}`;
    case "named":
      return port.protocol === undefined ? port.name : `${port.name}/${port.protocol}`;
    case "icmp":
      return `${port.family === 4 ? "ICMP" : "ICMPv6"}${port.type === 0 ? "" : ` type ${port.type}`}`;
  }
}

export const describePeer = (peer: Peer): string => visible(peerText(peer));

function peerText(peer: Peer): string {
  switch (peer.kind) {
    case "everything":
      return "everything";
    case "pods":
      return describePods(peer.pods, peer.namespaces, peer.account);
    case "networks":
      return `${peer.cidrs.map(formatCidr).join(", ")}${describeExcept(peer.except)}${peer.reach === "external" ? " outside the cluster" : ""}`;
    case "nodes":
      return peer.nodes.length === 0 ? "every node" : `nodes with ${formatMatch(peer.nodes)}`;
    case "domains":
      return peer.patterns.map(describeDomain).join(", ");
    case "entity":
      return describeEntity(peer);
    case "endpoints":
      return `endpoints of Service ${peer.services.namespace ?? "*"}/${peer.services.name ?? `with ${formatMatch(peer.services.labels ?? [])}`}`;
    case "cidr-group":
      return `CIDR group ${peer.name ?? formatMatch(peer.labels ?? [])}${describeExcept(peer.except)}`;
    case "unknown-set":
      return peer.what;
  }
}

function describeEntity({ entity, nodes, apiServer }: Extract<Peer, { kind: "entity" }>): string {
  const labelled = nodes === undefined ? "" : ` with ${formatMatch(nodes)}`;
  const server = apiServer === undefined ? "" : ` that is ${apiServer ? "" : "not "}the API server`;
  return `entity ${entity}${labelled}${server}`;
}

const describeExcept = (except: readonly Cidr[]): string =>
  except.length === 0 ? "" : ` except ${except.map(formatCidr).join(", ")}`;

function describePods(pods: NamespaceSet, namespaces: NamespaceSet, account?: LabelMatch): string {
  const where = describeSet(namespaces, "namespaces");
  const whose = account === undefined ? "" : ` with ${formatMatch(account)}`;
  return `${describeSet(pods, "pods")}${where === "all namespaces" ? "" : ` in ${where}`}${whose}`;
}

function describeSet(set: NamespaceSet, noun: string): string {
  switch (set.kind) {
    case "selector": {
      const names = onlyNames(set.match);
      if (names !== undefined)
        return `${names.length === 1 ? "namespace" : "namespaces"} ${names.join(", ")}`;
      return set.match.length === 0 ? `all ${noun}` : `${noun} with ${formatMatch(set.match)}`;
    }
    case "self":
      return "the same namespace";
    case "not-self":
      return "other namespaces";
    case "same-labels":
      return `${noun} with the same ${set.keys.join(", ")}`;
    case "not-same-labels":
      return `${noun} with another ${set.keys.join(", ")}`;
  }
}

/** The names, if a selector selects namespaces by name, for a shorter text. */
function onlyNames(match: LabelMatch): readonly string[] | undefined {
  const [only] = match;
  const isChoice = only?.key === namespaceNameLabel && only.operator === "In" && only.values.length > 0;
  return match.length === 1 && isChoice ? only.values : undefined;
}

export function describeDomain(pattern: DomainPattern): string {
  return visible(pattern.kind === "subdomains" ? `*.${pattern.text}` : pattern.text);
}
