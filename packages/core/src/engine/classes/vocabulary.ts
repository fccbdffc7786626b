import { backendsOf } from "../../cluster/service.js";
import type { Cluster, Pod } from "../../cluster/model.js";
import { type LabelMatch, selects } from "../../labels/requirement.js";
import { singleAddress, type Cidr } from "../../net/cidr.js";
import { neverNamed } from "../../net/special-addresses.js";
import type { NamespaceSet, Peer, PodSelection, Rule, ServiceSelection, Tiers } from "../../policy/model.js";
import { AddressAtoms } from "../../sets/address-atoms.js";
import { difference } from "./list-difference.js";

/*
 * What the rules of a cluster can see of an end. Pods that agree on all of this are one class; a rule that sees more makes
 * a new vocabulary, and with it new classes.
 */
export interface Vocabulary {
  /** Labels of pods that some selector asks for, numbered. */
  readonly podKeys: ReadonlyMap<string, number>;
  /** The same for nodes. */
  readonly nodeKeys: ReadonlySet<string>;
  readonly portNames: ReadonlySet<string>;
  readonly accounts: boolean;
  readonly atoms: AddressAtoms;
  /** By the key of a `ServiceSelection`: the targets of the Services that it selects. */
  readonly services: ReadonlyMap<string, ServiceTargets>;
  /** Whether any rule mentions CIDR groups. */
  readonly groups: boolean;
}

/** The endpoints of some Services, taken together. */
export interface ServiceTargets {
  readonly pods: ReadonlySet<Pod>;
  /** Addresses that lead there; `ofPods` are those where the pod is known as well. */
  readonly addresses: readonly Cidr[];
  readonly ofPods: readonly Cidr[];
  /** Of some Service nothing is known, so that any end may be behind it. */
  readonly open: boolean;
}

/** Of the rules of all these tiers together. */
export function vocabularyOf(cluster: Cluster, ...all: readonly Tiers[]): Vocabulary {
  const words = new Words(cluster);
  for (const tier of all.flatMap(({ egress, ingress }) => [...egress, ...ingress])) {
    for (const rule of tier.rules) words.addRule(rule);
    for (const { subject } of tier.isolation) words.addSubject(subject);
  }
  const { facts, cidrGroups } = cluster;
  for (const address of [
    ...(facts.apiServer ?? []),
    ...(facts.dns ?? []).flatMap((record) => record.addresses),
  ])
    words.cidrs.push(singleAddress(address));
  if (words.groups) for (const group of cidrGroups) words.cidrs.push(...group.cidrs);
  for (const { addresses, ofPods } of words.services.values()) words.cidrs.push(...addresses, ...ofPods);
  return {
    podKeys: new Map([...words.podKeys].map((key, i) => [key, i])),
    nodeKeys: words.nodeKeys,
    portNames: words.portNames,
    accounts: words.accounts,
    atoms: new AddressAtoms(words.cidrs),
    services: words.services,
    groups: words.groups,
  };
}

/** Whether the vocabulary already distinguishes everything that the added rules distinguish. */
export function seesNothingNew(
  vocabulary: Vocabulary,
  cluster: Cluster,
  before: Tiers,
  after: Tiers,
): boolean {
  const words = new Words(cluster);
  for (const direction of ["egress", "ingress"] as const)
    for (const tier of after[direction]) {
      const known = before[direction].find(({ name }) => name === tier.name);
      for (const rule of difference(known?.rules ?? [], tier.rules).come) words.addRule(rule);
      for (const { subject } of difference(known?.isolation ?? [], tier.isolation).come)
        words.addSubject(subject);
    }
  return (
    [...words.podKeys].every((key) => vocabulary.podKeys.has(key)) &&
    [...words.nodeKeys].every((key) => vocabulary.nodeKeys.has(key)) &&
    [...words.portNames].every((name) => vocabulary.portNames.has(name)) &&
    (vocabulary.accounts || !words.accounts) &&
    !words.groups &&
    [...words.services.keys()].every((key) => vocabulary.services.has(key)) &&
    words.cidrs.every((cidr) => vocabulary.atoms.isCutBy(cidr))
  );
}

/** One name for equal selections. */
export function serviceKey({ namespace, name, labels }: ServiceSelection): string {
  return JSON.stringify([namespace, name, labels]);
}

class Words {
  readonly podKeys = new Set<string>();
  readonly nodeKeys = new Set<string>();
  readonly portNames = new Set<string>();
  readonly cidrs: Cidr[] = [];
  readonly services = new Map<string, ServiceTargets>();
  accounts = false;
  groups = false;

  constructor(private readonly cluster: Cluster) {}

  addRule({ subject, peers, ports }: Rule): void {
    this.addSubject(subject);
    for (const peer of peers) this.addPeer(peer);
    if (ports !== "every") for (const port of ports) if (port.kind === "named") this.portNames.add(port.name);
  }

  addSubject({ pods, account }: PodSelection): void {
    this.addKeys(pods);
    if (account !== undefined && account.length > 0) this.accounts = true;
  }

  private addPeer(peer: Peer): void {
    switch (peer.kind) {
      case "pods":
        this.addPodSet(peer.pods);
        if (peer.account !== undefined && peer.account.length > 0) this.accounts = true;
        break;
      case "networks":
        this.cidrs.push(...peer.cidrs, ...peer.except);
        break;
      case "cidr-group":
        this.cidrs.push(...peer.except);
        this.groups = true;
        break;
      case "endpoints": {
        const key = serviceKey(peer.services);
        if (!this.services.has(key)) this.services.set(key, serviceTargets(this.cluster, peer.services));
        break;
      }
      case "nodes":
        for (const { key } of peer.nodes) this.nodeKeys.add(key);
        break;
      case "entity":
        for (const { key } of peer.nodes ?? []) this.nodeKeys.add(key);
        break;
      case "domains":
        this.cidrs.push(...neverNamed);
        break;
      case "everything":
      case "unknown-set":
        break;
    }
  }

  private addPodSet(set: NamespaceSet): void {
    if (set.kind === "selector") this.addKeys(set.match);
    else if (set.kind === "same-labels" || set.kind === "not-same-labels")
      for (const key of set.keys) this.podKeys.add(key);
  }

  private addKeys(match: LabelMatch): void {
    for (const { key } of match) this.podKeys.add(key);
  }
}

// S7.11
export function serviceTargets(cluster: Cluster, wanted: ServiceSelection): ServiceTargets {
  const services = cluster.services.filter(
    (service) =>
      (wanted.namespace === undefined || service.namespace === wanted.namespace) &&
      (wanted.name === undefined || service.name === wanted.name) &&
      (wanted.labels === undefined || selects(wanted.labels, service.labels)),
  );
  const found = services.map((service) => backendsOf(cluster, service, undefined));
  const backends = found.flatMap((list) => list ?? []);
  const blocks = (known: boolean) =>
    backends.flatMap(({ pod, address }) =>
      address === undefined || (pod !== undefined) !== known ? [] : singleAddress(address),
    );
  return {
    pods: new Set(backends.flatMap(({ pod }) => pod ?? [])),
    addresses: blocks(false),
    ofPods: blocks(true),
    open: services.length === 0 || found.includes(undefined),
  };
}
