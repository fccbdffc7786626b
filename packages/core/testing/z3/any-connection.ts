import { namespaceNameLabel } from "../../src/labels/requirement.js";
import { type Cidr, lastOf, parseCidr } from "../../src/net/cidr.js";
import type { Direction, Protocol } from "../../src/policy/model.js";
import { and, between, equal, implies, not, or, type SmtScript, type Term, text } from "./smt-script.js";

/*
 * Any connection in any cluster (S11.1), as constants of z3. For each of the two endpoints:
 *
 *   kind               pod | host-network-pod | node | external
 *   address            an integer; the family is that of the connection
 *   namespace name     a string, and so is the service account
 *   label of a scope   whether it is present, and a string
 *
 * and for both together: the protocol, an integer as port, which names the port has, and what is not in any input.
 */

export const ends = ["source", "destination"] as const;
export type End = (typeof ends)[number];
export type EndKind = "pod" | "host-network-pod" | "node" | "external";
export type Scope = "namespace" | "pod" | "node" | "account";
/** What the owners of a namespace do to one direction of the connection (S11.2). */
export type OwnersAct = "nothing" | "allows" | "isolates" | "denies";

export const otherThan = (end: End): End => (end === "source" ? "destination" : "source");

export class AnyConnection {
  private readonly keys = new Map<string, { readonly scope: Scope; readonly key: string }>();
  private readonly portNames = new Set<Term>();
  private readonly sets: string[] = [];

  constructor(readonly script: SmtScript) {
    script.enumeration("Kind", ["pod", "host-network-pod", "node", "external"] satisfies EndKind[]);
    script.enumeration("Protocol", ["TCP", "UDP", "SCTP", "ICMP"] satisfies Protocol[]);
    script.enumeration("OwnersAct", ["nothing", "allows", "isolates", "denies"] satisfies OwnersAct[]);
  }

  is(end: End, kind: EndKind): Term {
    return equal(this.script.constant(`kind of ${end}`, "Kind"), kind);
  }

  /** A node, or a pod that counts as its node. */
  isHost(end: End): Term {
    return or([this.is(end, "node"), this.is(end, "host-network-pod")]);
  }

  isPresent(scope: Scope, key: string, end: End): Term {
    if (!isLabelKey(key)) return "false";
    this.keys.set(`${scope} ${key}`, { scope, key });
    // The name of a namespace, which is also its label, and the service account are always there.
    if (scope === "account" || (scope === "namespace" && key === namespaceNameLabel)) return "true";
    return this.script.constant(`${end} has ${scope} label ${key}`, "Bool");
  }

  hasValue(scope: Scope, key: string, end: End, value: string): Term {
    const isPossible =
      scope === "account"
        ? isName(value)
        : scope === "namespace" && key === namespaceNameLabel
          ? isNamespaceName(value)
          : isLabelValue(value);
    if (!isPossible) return "false";
    return and([this.isPresent(scope, key, end), equal(this.value(scope, key, end), text(value))]);
  }

  /** Both endpoints have the label, with one value. */
  haveSameValue(scope: Scope, key: string): Term {
    const [a, b] = ends.map((end) => this.value(scope, key, end));
    return and([...ends.map((end) => this.isPresent(scope, key, end)), equal(a!, b!)]);
  }

  inSameNamespace(): Term {
    return this.haveSameValue("namespace", namespaceNameLabel);
  }

  private value(scope: Scope, key: string, end: End): Term {
    return this.script.constant(`value of ${scope} label ${key} of ${end}`, "String");
  }

  uses(protocol: Protocol): Term {
    return equal(this.script.constant("protocol", "Protocol"), protocol);
  }

  portIsIn(first: number, last: number): Term {
    return between(first, this.script.constant("port", "Int"), last);
  }

  /** Whether the destination has the port of the connection under this name. */
  portIsNamed(name: string): Term {
    if (!isPortName(name)) return "false";
    const term = this.script.constant(`port is named ${name}`, "Bool");
    this.portNames.add(term);
    return term;
  }

  isFamily(family: Cidr["family"]): Term {
    const isIPv6 = this.script.constant("IPv6", "Bool");
    return family === 6 ? isIPv6 : not(isIPv6);
  }

  addressIsIn(end: End, cidr: Cidr): Term {
    return and([this.isFamily(cidr.family), between(cidr.first, this.address(end), lastOf(cidr))]);
  }

  private address(end: End): Term {
    return this.script.constant(`address of ${end}`, "Int");
  }

  /** S1.6: one endpoint is a pod, the other its node. */
  isOwnNode(end: End): Term {
    return and([this.isHost(end), this.script.constant("the pod runs on the host", "Bool")]);
  }

  // S7.5: never a pod with its own network.
  isApiServer(end: End): Term {
    return and([not(this.is(end, "pod")), this.script.constant(`${end} is the API server`, "Bool")]);
  }

  /** S11.1: membership that no manifest states, by a text of the set: a CIDR group, endpoints of a Service. */
  isMember(end: End, set: string): Term {
    if (!this.sets.includes(set)) this.sets.push(set);
    return this.script.constant(`${end} is in set ${this.sets.indexOf(set)}`, "Bool");
  }

  // S7.7
  authenticates(): Term {
    return this.script.constant("the endpoints authenticate to each other", "Bool");
  }

  ownersDo(direction: Direction, act: OwnersAct): Term {
    return equal(this.script.constant(`owners about ${direction}`, "OwnersAct"), act);
  }

  /** S11.6: an owner's policy plainly allows exactly what this text is; it is one that allows the connection. */
  ownersAllowExactly(direction: Direction, what: string): Term {
    if (!this.sets.includes(what)) this.sets.push(what);
    const term = this.script.constant(`owners allow ${this.sets.indexOf(what)} in ${direction}`, "Bool");
    this.script.assert(implies(term, this.ownersDo(direction, "allows")));
    return term;
  }

  /** Every namespace label that something mentions so far. */
  namespaceKeys(): readonly string[] {
    return [...this.keys.values()].flatMap(({ scope, key }) => (scope === "namespace" ? key : []));
  }

  /** What holds for every connection; call it when everything else is written. */
  assertAxioms(): void {
    const { script } = this;
    const arePods = and(ends.map((end) => this.is(end, "pod")));
    for (const key of this.namespaceKeys()) {
      const agree = or([
        this.haveSameValue("namespace", key),
        and(ends.map((end) => not(this.isPresent("namespace", key, end)))),
      ]);
      script.assert(implies(and([arePods, this.inSameNamespace()]), agree));
    }
    script.assert(this.portIsIn(1, 65535));
    const hasNamedPorts = and([this.is("destination", "pod"), not(this.uses("ICMP"))]);
    for (const named of this.portNames) script.assert(implies(named, hasNamedPorts));
    script.assert(or(ends.map((end) => not(this.is(end, "external")))));
    for (const end of ends) {
      const families = ["0.0.0.0/0", "::/0"].map((whole) => this.addressIsIn(end, parseCidr(whole)!));
      script.assert(or(families));
      const isUnusable = or(unusable.map((cidr) => this.addressIsIn(end, cidr)));
      script.assert(implies(isUnusable, this.is(end, "external")));
    }
    // Only a node and a pod in its network share an address.
    const differ = not(equal(this.address("source"), this.address("destination")));
    script.assert(or([and(ends.map((end) => this.isHost(end))), differ]));
  }
}

/** S11.1: loopback, link-local, multicast and unspecified addresses; S8.3 lists the latter. */
const unusable = [
  "127.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "0.0.0.0/8",
  "fe80::/10",
  "ff00::/8",
  "::/96",
].map((cidr) => parseCidr(cidr)!);

/* What Kubernetes accepts, from its documentation of names and labels. */
const isNamespaceName = (name: string): boolean =>
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= 63;
const isName = (name: string): boolean =>
  name.length <= 253 && name.split(".").every((part) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part));
const isLabelValue = (value: string): boolean =>
  value === "" || (/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(value) && value.length <= 63);
const isPortName = (name: string): boolean =>
  /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && /[a-z]/.test(name) && name.length <= 15;

function isLabelKey(key: string): boolean {
  const [name, prefix, ...rest] = key.split("/").toReversed();
  return rest.length === 0 && name !== "" && isLabelValue(name!) && (prefix === undefined || isName(prefix));
}
