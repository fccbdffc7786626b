import { backendsOf } from "../cluster/service.js";
import type { Cluster, Service } from "../cluster/model.js";
import {
  formatMatch,
  type LabelMatch,
  type Labels,
  type Requirement,
  selects,
} from "../labels/requirement.js";
import { type Address, formatAddress, sameAddress } from "../net/address.js";
import { type Cidr, contains, formatCidr, isWholeFamily } from "../net/cidr.js";
import { isEmpty, regionOfAddresses, regionOfCidrs, subtract } from "../net/region.js";
import { isNeverNamed } from "../net/special-addresses.js";
import { describeDomain } from "../policy/describe.js";
import type { Entity, NamespaceSet, Peer, PodSelection, PodSet, PortMatch, Rule } from "../policy/model.js";
import { domainMatches } from "./domain.js";
import type { Unknowns } from "./facts.js";
import { type Endpoint, type Flow, formatEndpoint, type PodEndpoint } from "./flow.js";

/*
 * When does a rule match a connection? One function per concept, each with its statement in docs/semantics.md.
 * All functions return a plain boolean; facts that the input does not contain are asked of `unknowns`.
 */

/** What a rule is matched with: the connection, the cluster, and the answers about unknown facts. */
export interface Situation {
  readonly flow: Flow;
  readonly cluster: Cluster;
  readonly unknowns: Unknowns;
}

/** S3.4: subjects are pods with their own network; `subject` never is anything else. */
export function isSubject(selection: PodSelection, subject: PodEndpoint): boolean {
  return (
    selects(selection.namespaces, subject.namespace.labels) &&
    selects(selection.pods, subject.pod.labels) &&
    accountIsIn(selection.account, subject)
  );
}

const accountIsIn = (match: LabelMatch | undefined, { pod }: PodEndpoint): boolean =>
  match === undefined || selects(match, { serviceaccount: pod.serviceAccount });

export function anyPeerMatches(
  rule: Rule,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): boolean {
  return rule.peers.some((peer) => peerMatches(peer, subject, other, situation));
}

export function peerMatches(
  peer: Peer,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): boolean {
  switch (peer.kind) {
    case "everything":
      return true;
    case "pods": // S2.3, S3.4, S5.7, S6.3, S7.4: never nodes, external addresses or host-network pods.
      return (
        other.kind === "pod" &&
        !other.pod.hostNetwork &&
        namespaceIsIn(peer.namespaces, subject, other) &&
        podIsIn(peer.pods, subject, other) &&
        accountIsIn(peer.account, other)
      );
    case "networks": // S2.3, S3.4; S7.5 for those that reach external addresses only.
      return (
        (peer.reach === "every-address" || other.kind === "external") &&
        addressIsIn(peer.cidrs, peer.except, other, situation)
      );
    case "nodes": // S3.4: nodes, and with them host-network pods.
      return nodeIsSelected(peer.nodes, other, situation);
    case "domains":
      return domainResolvesTo(peer, other, situation);
    case "entity":
      return (
        entityIncludes(peer.entity, subject, other, situation) &&
        // S7.14, S7.13
        (peer.nodes === undefined || nodeIsSelected(peer.nodes, other, situation)) &&
        (peer.apiServer === undefined || isApiServer(other, situation) === peer.apiServer)
      );
    case "endpoints":
      return servicesLeadTo(peer.services, other, situation);
    case "cidr-group":
      return other.kind === "external" && cidrGroupIncludes(peer, other, situation);
    case "unknown-set": // S7.11
      return (
        (peer.reach === "every-address" || other.kind === "external") &&
        situation.unknowns.ask({
          key: `set:${peer.what}`,
          text: `whether ${formatEndpoint(other)} belongs to ${peer.what}`,
        })
      );
  }
}

// S5.4: relative to the namespace of the subject.
function namespaceIsIn(set: NamespaceSet, subject: PodEndpoint, other: PodEndpoint): boolean {
  switch (set.kind) {
    case "selector":
      return selects(set.match, other.namespace.labels);
    case "self":
      return other.namespace.name === subject.namespace.name;
    case "not-self":
      return other.namespace.name !== subject.namespace.name;
    case "same-labels":
      return sameLabels(set.keys, subject.namespace.labels, other.namespace.labels);
    case "not-same-labels":
      return noSameLabel(set.keys, subject.namespace.labels, other.namespace.labels);
  }
}

function podIsIn(set: PodSet, subject: PodEndpoint, other: PodEndpoint): boolean {
  switch (set.kind) {
    case "selector":
      return selects(set.match, other.pod.labels);
    case "same-labels":
      return sameLabels(set.keys, subject.pod.labels, other.pod.labels);
    case "not-same-labels":
      return noSameLabel(set.keys, subject.pod.labels, other.pod.labels);
  }
}

// S5.4: every key, each with the subject's value; nothing where the subject lacks one, or the list is empty.
export function sameLabels(keys: readonly string[], subject: Labels, other: Labels): boolean {
  return keys.length > 0 && keys.every((key) => hasSameValue(key, subject, other));
}

// S5.4: no key has the subject's value; an empty list selects nothing.
export function noSameLabel(keys: readonly string[], subject: Labels, other: Labels): boolean {
  return keys.length > 0 && !keys.some((key) => hasSameValue(key, subject, other));
}

function hasSameValue(key: string, subject: Labels, other: Labels): boolean {
  return Object.hasOwn(subject, key) && Object.hasOwn(other, key) && subject[key] === other[key];
}

/** The addresses that an endpoint may have, in the family of the connection; none if unknown. */
export function addressesOf(
  endpoint: Endpoint,
  { cluster, flow }: Pick<Situation, "cluster" | "flow">,
): readonly Address[] {
  const ofFamily = (list: readonly Address[]) =>
    list.filter((a) => flow.family === undefined || a.family === flow.family);
  switch (endpoint.kind) {
    case "external":
      return [endpoint.address];
    case "node":
      return endpoint.address === undefined ? ofFamily(endpoint.node.addresses) : [endpoint.address];
    case "pod": {
      const { pod } = endpoint;
      const own = ofFamily(pod.addresses);
      return own.length > 0 || !pod.hostNetwork
        ? own
        : ofFamily(cluster.nodes.get(pod.node ?? "")?.addresses ?? []);
    }
  }
}

function addressIsIn(
  cidrs: readonly Cidr[],
  except: readonly Cidr[],
  other: Endpoint,
  situation: Situation,
): boolean {
  const addresses = addressesOf(other, situation);
  const [only] = addresses;
  if (only !== undefined && addresses.length === 1)
    return cidrs.some((c) => contains(c, only)) && !except.some((c) => contains(c, only));

  const name = formatEndpoint(other);
  const family = situation.flow.family ?? only?.family;
  const podCidrs = other.kind === "pod" && !other.pod.hostNetwork ? situation.cluster.facts.podCidrs : [];
  if (family !== undefined) {
    const possible =
      only === undefined ? regionOfCidrs(family, podCidrs) : regionOfAddresses(family, addresses);
    const wanted = subtract(regionOfCidrs(family, cidrs), regionOfCidrs(family, except));
    if (!isEmpty(possible))
      return situation.unknowns.isIn(
        addressKey(other, situation.flow),
        possible,
        wanted,
        `whether ${name} has an address in ${formatBlocks(cidrs, except)}`,
      );
  }
  const hint = other.kind === "pod" && !other.pod.hostNetwork ? " (set it with --pod-cidr)" : "";
  return unknownAddressIsIn(cidrs, except, name, hint, situation);
}

/** Whose address it is: that of a pod, or of one replica of a template. */
function addressKey(other: Endpoint, flow: Flow): string {
  const isTemplate = other.kind === "pod" && other.pod.fromTemplate === true;
  return isTemplate
    ? `${other === flow.source ? "source" : "destination"} ${formatEndpoint(other)}`
    : formatEndpoint(other);
}

function formatBlocks(cidrs: readonly Cidr[], except: readonly Cidr[]): string {
  const blocks = cidrs.map(formatCidr).join(", ");
  return except.length === 0 ? blocks : `${blocks} except ${except.map(formatCidr).join(", ")}`;
}

// S1.14: without any knowledge, only a whole family is sure to contain the address; an `except` follows the same rule.
function unknownAddressIsIn(
  cidrs: readonly Cidr[],
  except: readonly Cidr[],
  name: string,
  hint: string,
  { unknowns, flow }: Situation,
): boolean {
  const all = [...cidrs, ...except];
  for (const narrow of all.filter((c) => !isWholeFamily(c)))
    unknowns.note(`${name} has no address yet; it is assumed not to be in ${formatCidr(narrow)}${hint}`);
  for (const other of all.filter((c) => isWholeFamily(c) && c.family !== (flow.family ?? c.family))) {
    const although = `although the connection is IPv${flow.family}`;
    unknowns.note(
      `${name} has no address yet; it is assumed to be in ${formatCidr(other)}, ${although}${hint}`,
    );
  }
  return cidrs.some(isWholeFamily) && !except.some(isWholeFamily);
}

/** The node of an endpoint: the node itself, or that of a host-network pod, which may not be placed yet. */
function hostOf(
  endpoint: Endpoint,
): { readonly name: string | undefined; readonly text: string } | undefined {
  if (endpoint.kind === "node") return { name: endpoint.node.name, text: `node ${endpoint.node.name}` };
  if (endpoint.kind !== "pod" || !endpoint.pod.hostNetwork) return undefined;
  const name = endpoint.pod.node;
  return { name, text: name === undefined ? `the node of ${formatEndpoint(endpoint)}` : `node ${name}` };
}

function nodeIsSelected(match: LabelMatch, other: Endpoint, { cluster, unknowns }: Situation): boolean {
  const host = hostOf(other);
  if (host === undefined) return false;
  if (match.length === 0) return true;
  const node = other.kind === "node" ? other.node : cluster.nodes.get(host.name ?? "");
  if (node?.labels !== undefined) return selects(match, node.labels);
  return match.every((requirement) => unknownLabelHolds(requirement, host.text, unknowns));
}

/** A requirement on an unknown label: it may have any value, or be absent. */
function unknownLabelHolds({ key, operator, values }: Requirement, who: string, unknowns: Unknowns): boolean {
  const isOneOf = (wanted: readonly string[], text: string) =>
    unknowns.isOneOf(`label ${key} of ${who}`, wanted, `whether ${who} has ${text}`);
  const isThere = () => !isOneOf([absent], `no label ${key}`);
  switch (operator) {
    case "In":
      return isOneOf(values, `${key}=${values.join(" or ")}`);
    case "NotIn":
      return !isOneOf(values, `${key}=${values.join(" or ")}`);
    case "Exists":
      return isThere();
    case "DoesNotExist":
      return !isThere();
  }
}

/** Represents an absent label; no label value looks like this. */
const absent = "(absent)";

/** S1.6, S7.5: whether the other endpoint is the node that the subject runs on. */
export function isOwnNode(subject: PodEndpoint, other: Endpoint, unknowns: Unknowns): boolean {
  const host = hostOf(other);
  if (host === undefined) return false;
  if (subject.pod.node !== undefined && host.name !== undefined) return subject.pod.node === host.name;
  return unknowns.ask({
    key: `runs-on:${formatEndpoint(subject)}:${host.text}`,
    text: `whether ${formatEndpoint(subject)} runs on ${host.text}`,
  });
}

/** Whether an endpoint has one of these addresses; if it has several, this may be true for only some of them. */
function isAmong(other: Endpoint, wanted: readonly Address[], what: string, situation: Situation): boolean {
  const own = addressesOf(other, situation);
  const inside = own.filter((address) => wanted.some((a) => sameAddress(a, address)));
  const [first] = inside;
  if (first === undefined || inside.length === own.length) return first !== undefined;
  const region = (list: readonly Address[]) => regionOfAddresses(first.family, list);
  const name = formatEndpoint(other);
  return situation.unknowns.isIn(
    addressKey(other, situation.flow),
    region(own),
    region(wanted),
    `whether the address of ${name} is ${what}`,
  );
}

// S7.5
function entityIncludes(
  entity: Entity,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): boolean {
  const { unknowns } = situation;
  switch (entity) {
    case "world":
      return other.kind === "external";
    case "world-ipv4":
      return other.kind === "external" && other.address.family === 4;
    case "world-ipv6":
      return other.kind === "external" && other.address.family === 6;
    case "cluster":
      return other.kind !== "external";
    case "host":
      return isOwnNode(subject, other, unknowns);
    case "remote-node":
      return hostOf(other) !== undefined && !isOwnNode(subject, other, unknowns);
    case "kube-apiserver":
      return isApiServer(other, situation);
  }
}

function isApiServer(other: Endpoint, { cluster, unknowns, flow }: Situation): boolean {
  if (other.kind === "pod" && !other.pod.hostNetwork) return false;
  const known = cluster.facts.apiServer;
  // Without addresses there is nothing to compare.
  if (known === undefined || addressesOf(other, { cluster, flow }).length === 0)
    return unknowns.ask({
      key: `apiserver:${formatEndpoint(other)}`,
      text: `whether ${formatEndpoint(other)} is the API server${known === undefined ? " (set it with --kube-apiserver)" : ""}`,
    });
  return isAmong(other, known, "one of the API server", { cluster, unknowns, flow });
}

// S8.2, S8.3
function domainResolvesTo(
  peer: Extract<Peer, { kind: "domains" }>,
  other: Endpoint,
  situation: Situation,
): boolean {
  const { cluster, unknowns } = situation;
  if (other.kind === "external" ? isNeverNamed(other.address) : peer.reach === "external") return false;
  const records = cluster.facts.dns;
  if (records !== undefined) {
    const resolved = records
      .filter(({ name }) => peer.patterns.some((pattern) => domainMatches(pattern, name)))
      .flatMap(({ addresses }) => addresses);
    const names = peer.patterns.map(describeDomain).join(", ");
    if (addressesOf(other, situation).length === 0)
      unknowns.note(`${formatEndpoint(other)} has no address yet; it is assumed not to be one of ${names}`);
    return isAmong(other, resolved, `an address of ${names}`, situation);
  }
  if (other.kind !== "external") {
    unknowns.note(
      `${formatEndpoint(other)} is assumed not to be one of ${peer.patterns.map(describeDomain).join(", ")} (set it with --dns)`,
    );
    return false;
  }
  return peer.patterns.some((pattern) =>
    unknowns.ask({
      key: `dns:${pattern.kind}:${pattern.text}`,
      text: `whether ${formatAddress(other.address)} is an address of ${describeDomain(pattern)} (set it with --dns)`,
    }),
  );
}

// S7.11
function servicesLeadTo(
  wanted: Extract<Peer, { kind: "endpoints" }>["services"],
  other: Endpoint,
  situation: Situation,
): boolean {
  const { cluster, unknowns } = situation;
  const services = cluster.services.filter(
    (service) =>
      (wanted.namespace === undefined || service.namespace === wanted.namespace) &&
      (wanted.name === undefined || service.name === wanted.name) &&
      (wanted.labels === undefined || selects(wanted.labels, service.labels)),
  );
  const mayLead = (what: string) =>
    unknowns.ask({
      key: `service:${what}`,
      text: `whether ${formatEndpoint(other)} is an endpoint of ${what}`,
    });
  if (services.length === 0)
    return mayLead(
      `Service ${wanted.namespace ?? "*"}/${wanted.name ?? `with ${formatMatch(wanted.labels ?? [])}`}`,
    );
  return services.some(
    (service) =>
      serviceLeadsTo(service, other, situation) ?? mayLead(`Service ${service.namespace}/${service.name}`),
  );
}

function serviceLeadsTo(service: Service, other: Endpoint, situation: Situation): boolean | undefined {
  const addresses = addressesOf(other, situation);
  return backendsOf(situation.cluster, service, undefined)?.some((backend) =>
    backend.pod !== undefined && other.kind === "pod"
      ? other.pod === backend.pod
      : addresses.some((own) => backend.address !== undefined && sameAddress(own, backend.address)),
  );
}

// S7.11
function cidrGroupIncludes(
  peer: Extract<Peer, { kind: "cidr-group" }>,
  other: Extract<Endpoint, { kind: "external" }>,
  { cluster, unknowns }: Situation,
): boolean {
  const groups = cluster.cidrGroups.filter((group) =>
    peer.labels === undefined ? group.name === peer.name : selects(peer.labels, group.labels),
  );
  if (peer.except.some((c) => contains(c, other.address))) return false;
  if (groups.length > 0) return groups.some((group) => group.cidrs.some((c) => contains(c, other.address)));
  const what = `CiliumCIDRGroup ${peer.name ?? "(by labels)"}`;
  return unknowns.ask({
    key: `cidr-group:${peer.name ?? JSON.stringify(peer.labels)}`,
    text: `whether ${formatAddress(other.address)} is in ${what}`,
  });
}

// S1.7: "every" is every protocol, ICMP included; an empty list is nothing.
export function portsMatch(ports: Rule["ports"], flow: Flow): boolean {
  return ports === "every" || ports.some((port) => portMatches(port, flow));
}

export function portMatches(port: PortMatch, flow: Flow): boolean {
  switch (port.kind) {
    case "range":
      return flow.protocol === port.protocol && flow.port >= port.first && flow.port <= port.last;
    case "named":
      return (
        (port.protocol === undefined || port.protocol === flow.protocol) &&
        namedPorts(flow.destination, port.name, flow.protocol).includes(flow.port)
      );
    case "icmp": // S7.11: a question about ICMP is an echo request; type 0 is every type.
      return (
        flow.protocol === "ICMP" &&
        (flow.family === undefined || flow.family === port.family) &&
        (port.type === 0 || port.type === echoRequest[port.family])
      );
  }
}

export const echoRequest = { 4: 8, 6: 128 } as const;

/** S1.8: the destination pod's own container ports; nothing else has named ones. */
export function namedPorts(
  destination: Endpoint,
  name: string,
  protocol: Flow["protocol"],
): readonly number[] {
  if (destination.kind !== "pod" || destination.pod.hostNetwork) return [];
  return destination.pod.ports
    .filter((port) => port.name === name && port.protocol === protocol)
    .map(({ port }) => port);
}
