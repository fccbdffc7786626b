import { namespaceNameLabel, unknownLabels } from "../../labels/requirement.js";
import type { Family } from "../../net/address.js";
import { bitsOf } from "../../net/address.js";
import { type Cidr, lastOf, parseCidr } from "../../net/cidr.js";
import { type Direction, directions, type DomainPattern, type Protocol } from "../../policy/model.js";
import { labelKey, labelValue, namespaceName, objectName, portName } from "../../schema/formats.js";
import type { Format } from "../../schema/schema.js";
import { type Answer, type Budget, FALSE, type Hints, type Literal, not, TRUE } from "../sat/index.js";
import { domainKey, requireNames } from "./domains.js";
import type { Formula } from "./formula.js";
import { type End, ends, LabelPair } from "./label-pair.js";
import { OrderedValue } from "./ordered-value.js";

/*
 * The variables of one connection: everything that the verdict of a connection can depend on, in any cluster (S11.1).
 *
 *   each end     kind · labels of its namespace, its pod, its node · service account · address
 *   both         protocol · port · names of the port · family · which labels are equal · whether one is the other's node
 *   besides      facts that no manifest states · what the owners of the two namespaces write
 *
 * Variables are made when something mentions them, so that the vocabulary is exactly what rules and claims distinguish.
 */

/** What an end of a connection can be. */
export const endKinds = ["pod", "host-network pod", "node", "external"] as const;
export type EndKind = (typeof endKinds)[number];

export const labelScopes = ["namespace", "pod", "node", "account"] as const;
/** Whose labels. `account` has one key: the service account of a pod. */
export type LabelScope = (typeof labelScopes)[number];

export const protocols = ["TCP", "UDP", "SCTP", "ICMP"] as const satisfies readonly Protocol[];
export const families = [4, 6] as const satisfies readonly Family[];

/** What namespace owners can do to one connection, in one direction. Each is one real policy of theirs. */
export const ownerActs = ["allow", "isolate", "deny"] as const;
export type OwnerAct = (typeof ownerActs)[number];

/** What no pod and no node has as its address, on any network. */
const addressesOfNoHost = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "::/96",
  "fe80::/10",
  "ff00::/8",
].map((text) => parseCidr(text)!);

/** Never on the wire: an IPv4 address in IPv6 spelling. */
const mapped: Cidr = { family: 6, first: 0xffffn << 32n, prefix: 96 };

export class Connection {
  private readonly kinds: Readonly<Record<End, Readonly<Record<EndKind, Literal>>>>;
  private readonly addresses: Readonly<Record<End, Readonly<Record<Family, OrderedValue>>>>;
  private readonly protocolLiterals: Readonly<Record<Protocol, Literal>>;
  private readonly isIPv4: Literal;
  readonly port: OrderedValue;
  readonly sameNamespace: Literal;
  /** One end is a pod, and the other is its node or a host-network pod there. */
  readonly ownNode: Literal;
  readonly owners: Readonly<Record<Direction, Readonly<Record<OwnerAct, Literal>>>>;
  readonly labels = new Map<LabelScope, Map<string, LabelPair>>();
  readonly portNames = new Map<string, Literal>();
  /** By the key under which the evaluator asks for them. */
  readonly facts = new Map<string, Literal>();
  private readonly domains = new Map<string, DomainPattern>();
  /** How many of them had names when the vocabulary was closed. */
  private namedDomains = 0;
  private readonly separated = new Set<string>();
  /** How much of the vocabulary `close` has seen. */
  private closed = 0;

  constructor(readonly formula: Formula) {
    this.kinds = byEnd(() => this.oneOf(endKinds));
    this.protocolLiterals = this.oneOf(protocols);
    this.isIPv4 = formula.variable();
    this.port = new OrderedValue(formula, 1n, 65535n);
    const addressesOf = (family: Family) =>
      new OrderedValue(formula, 0n, (1n << BigInt(bitsOf(family))) - 1n);
    this.addresses = byEnd(() => ({ 4: addressesOf(4), 6: addressesOf(6) }));
    this.sameNamespace = this.label("namespace", namespaceNameLabel).equal();
    this.ownNode = formula.variable();
    this.owners = byDirection(() => ({
      allow: formula.variable(),
      isolate: formula.variable(),
      deny: formula.variable(),
    }));
    this.requireSense();
  }

  is(end: End, kind: EndKind): Literal {
    return this.kinds[end][kind];
  }

  /** A node, or a pod in the network of one. */
  isHost(end: End): Literal {
    return this.formula.or([this.is(end, "node"), this.is(end, "host-network pod")]);
  }

  protocol(protocol: Protocol): Literal {
    return this.protocolLiterals[protocol];
  }

  family(family: Family): Literal {
    return family === 4 ? this.isIPv4 : not(this.isIPv4);
  }

  address(end: End, family: Family): OrderedValue {
    return this.addresses[end][family];
  }

  isIn(end: End, cidr: Cidr): Literal {
    const inside = this.addresses[end][cidr.family].between(cidr.first, lastOf(cidr));
    return this.formula.and([this.family(cidr.family), inside]);
  }

  portBetween(first: number, last: number): Literal {
    return this.port.between(BigInt(first), BigInt(last));
  }

  /** Whether the destination has a container port of this name, with the number and protocol of the connection (S1.8). */
  portNamed(name: string): Literal {
    if (!fits(portName, name)) return FALSE;
    const known = this.portNames.get(name);
    if (known !== undefined) return known;
    const literal = this.formula.variable();
    this.portNames.set(name, literal);
    this.formula.require(not(literal), this.is("destination", "pod"));
    this.formula.require(not(literal), not(this.protocol("ICMP")));
    return literal;
  }

  /** Something that no manifest states, by the key under which the evaluator asks for it. */
  fact(key: string): Literal {
    const known = this.facts.get(key);
    if (known !== undefined) return known;
    const literal = this.formula.variable();
    this.facts.set(key, literal);
    return literal;
  }

  /** Whether the address of the external end has a name of this pattern. */
  hasName(pattern: DomainPattern): Literal {
    this.domains.set(domainKey(pattern), pattern);
    return this.fact(domainKey(pattern));
  }

  /** Whether an end is the API server; no pod with its own network is (S7.5). */
  isApiServer(end: End): Literal {
    return this.formula.and([not(this.is(end, "pod")), this.fact(`apiserver ${end}`)]);
  }

  label(scope: LabelScope, key: string): LabelPair {
    const ofScope = this.labels.get(scope) ?? new Map<string, LabelPair>();
    this.labels.set(scope, ofScope);
    const known = ofScope.get(key);
    if (known !== undefined) return known;
    const made = this.newLabel(scope, key);
    ofScope.set(key, made);
    return made;
  }

  /** Closes the vocabulary, and looks for a connection under assumptions. */
  solve(assumptions: readonly Literal[], budget?: Budget, hints?: Hints): Answer {
    this.close();
    return this.formula.solve(assumptions, budget, hints);
  }

  /** Adds what follows from the vocabulary as a whole. Call it before solving. */
  close(): void {
    const bounds = ends.flatMap((end) => families.map((family) => this.addresses[end][family].bounds.length));
    const mentioned = bounds.reduce((sum, count) => sum + count, this.domains.size);
    if (mentioned === this.closed) return;
    // Two endpoints cannot share an address, unless they are hosts: a node and a pod in its network have the same address.
    for (const family of families) {
      const [from, to] = [this.addresses.source[family], this.addresses.destination[family]];
      for (const address of from.bounds) {
        const name = `${family} ${address}`;
        const isSingle = from.distinguishes(address) && to.distinguishes(address);
        if (!isSingle || this.separated.has(name)) continue;
        this.separated.add(name);
        const here = ends.map((end) => not(this.addresses[end][family].between(address, address)));
        const bothHosts = this.formula.and(ends.map((end) => this.isHost(end)));
        this.formula.require(...here, not(this.family(family)), bothHosts);
      }
    }
    this.closed = mentioned;
    if (this.domains.size === this.namedDomains) return;
    this.namedDomains = this.domains.size;
    requireNames([...this.domains.values()], (pattern) => this.fact(domainKey(pattern)), this.formula);
  }

  private newLabel(scope: LabelScope, key: string): LabelPair {
    if (scope === "account")
      return new LabelPair(this.formula, everywhere, (value) => fits(objectName, value));
    if (scope === "namespace" && key === namespaceNameLabel)
      return new LabelPair(this.formula, everywhere, (value) => fits(namespaceName, value));
    const isPossible = (value: string) => fits(labelValue, value);
    if (key === unknownLabels || !fits(labelKey, key))
      return new LabelPair(this.formula, nowhere, isPossible);
    const present = byEnd(() => this.formula.variable());
    return scope === "namespace"
      ? new LabelPair(this.formula, present, isPossible, this.sameNamespace)
      : new LabelPair(this.formula, present, isPossible);
  }

  /** What holds of every connection. */
  private requireSense(): void {
    const { formula } = this;
    // Between two external addresses there is nothing that a cluster could decide.
    formula.require(...ends.map((end) => not(this.is(end, "external"))));
    for (const end of ends) {
      const isInCluster = not(this.is(end, "external"));
      for (const cidr of addressesOfNoHost) formula.require(not(isInCluster), not(this.isIn(end, cidr)));
      formula.require(not(this.isIn(end, mapped)));
      // S1.6: own node is a relation between a pod and a host.
      formula.require(not(this.ownNode), this.is(end, "pod"), this.isHost(end));
    }
    const [from, to] = ends;
    formula.require(not(this.ownNode), not(this.is(from, "pod")), not(this.is(to, "pod")));
    formula.require(not(this.ownNode), this.is(from, "pod"), this.is(to, "pod"));
  }

  private oneOf<T extends string>(names: readonly T[]): Readonly<Record<T, Literal>> {
    const literals = names.map(() => this.formula.variable());
    this.formula.require(...literals);
    for (const [i, literal] of literals.entries())
      for (const other of literals.slice(0, i)) this.formula.require(not(literal), not(other));
    return Object.fromEntries(names.map((name, i) => [name, literals[i]!])) as Record<T, Literal>;
  }
}

const everywhere = { source: TRUE, destination: TRUE } as const;
const nowhere = { source: FALSE, destination: FALSE } as const;

const fits = (format: Format, text: string): boolean => format.check(text).length === 0;

const byEnd = <T>(make: (end: End) => T): Readonly<Record<End, T>> => ({
  source: make("source"),
  destination: make("destination"),
});

export const byDirection = <T>(make: (direction: Direction) => T): Readonly<Record<Direction, T>> =>
  Object.fromEntries(directions.map((direction) => [direction, make(direction)])) as Record<Direction, T>;
