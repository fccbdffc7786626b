import type { LabelMatch } from "../../src/labels/requirement.js";
import type { Cidr } from "../../src/net/cidr.js";
import type { NamespaceSet, Peer, PodSelection, PortMatch, Reach, Rule } from "../../src/policy/model.js";
import { type AnyConnection, type End, otherThan, type Scope } from "./any-connection.js";
import { and, not, or, type Term } from "./smt-script.js";

/* When a rule matches the connection, as a formula: the counterpart of evaluate/match.ts. `end` is the endpoint in question. */

/** The subject of a rule is `end`, its peer the other endpoint. */
export function ruleMatches(rule: Rule, end: End, connection: AnyConnection): Term {
  return and([
    isSubject(rule.subject, end, connection),
    portsMatch(rule.ports, connection),
    or(rule.peers.map((peer) => peerMatches(peer, otherThan(end), connection))),
  ]);
}

export const isSubject = (selection: PodSelection, end: End, connection: AnyConnection): Term =>
  connection.script.named(
    and([
      selects("namespace", selection.namespaces, end, connection),
      selects("pod", selection.pods, end, connection),
      selects("account", selection.account ?? [], end, connection),
    ]),
  );

// S1.10: NotIn and DoesNotExist hold for an absent label.
export function selects(scope: Scope, match: LabelMatch, end: End, connection: AnyConnection): Term {
  return and(
    match.map(({ key, operator, values }) => {
      const isAny = () => or(values.map((value) => connection.hasValue(scope, key, end, value)));
      switch (operator) {
        case "In":
          return isAny();
        case "NotIn":
          return not(isAny());
        case "Exists":
          return connection.isPresent(scope, key, end);
        case "DoesNotExist":
          return not(connection.isPresent(scope, key, end));
      }
    }),
  );
}

/** `end` is what the peer selects; relative sets compare it with the other endpoint. */
export function peerMatches(peer: Peer, end: End, connection: AnyConnection): Term {
  const isAnyOf = (cidrs: readonly Cidr[]) => or(cidrs.map((cidr) => connection.addressIsIn(end, cidr)));
  const isReached = (reach: Reach) => (reach === "every-address" ? "true" : connection.is(end, "external"));
  switch (peer.kind) {
    case "everything":
      return "true";
    case "pods":
      return connection.script.named(
        and([
          connection.is(end, "pod"),
          isIn("namespace", peer.namespaces, end, connection),
          isIn("pod", peer.pods, end, connection),
          selects("account", peer.account ?? [], end, connection),
        ]),
      );
    case "networks":
      return and([isReached(peer.reach), isAnyOf(peer.cidrs), not(isAnyOf(peer.except))]);
    case "nodes":
      return and([connection.isHost(end), selects("node", peer.nodes, end, connection)]);
    case "entity": {
      const { apiServer, nodes } = peer;
      const isApiServer = connection.isApiServer(end);
      return and([
        isEntity(peer.entity, end, connection),
        nodes === undefined ? "true" : and([connection.isHost(end), selects("node", nodes, end, connection)]),
        apiServer === undefined ? "true" : apiServer ? isApiServer : not(isApiServer),
      ]);
    }
    // S7.11: facts that no input of these tests has.
    case "endpoints":
      return connection.isMember(end, JSON.stringify(peer.services));
    case "cidr-group": {
      const set = JSON.stringify([peer.name, peer.labels]);
      return and([isReached("external"), connection.isMember(end, set), not(isAnyOf(peer.except))]);
    }
    case "unknown-set":
      return and([isReached(peer.reach), connection.isMember(end, peer.what)]);
    case "domains":
      throw new Error("names are not covered");
  }
}

// S5.4, for namespaces and pods alike.
function isIn(scope: "namespace" | "pod", set: NamespaceSet, end: End, connection: AnyConnection): Term {
  switch (set.kind) {
    case "selector":
      return selects(scope, set.match, end, connection);
    case "self":
      return connection.inSameNamespace();
    case "not-self":
      return not(connection.inSameNamespace());
    case "same-labels":
      if (set.keys.length === 0) return "false";
      return and(set.keys.map((key) => connection.haveSameValue(scope, key)));
    case "not-same-labels":
      if (set.keys.length === 0) return "false";
      return not(or(set.keys.map((key) => connection.haveSameValue(scope, key))));
  }
}

// S7.5
function isEntity(
  entity: Extract<Peer, { kind: "entity" }>["entity"],
  end: End,
  connection: AnyConnection,
): Term {
  const isExternal = connection.is(end, "external");
  switch (entity) {
    case "world":
      return isExternal;
    case "world-ipv4":
      return and([isExternal, connection.isFamily(4)]);
    case "world-ipv6":
      return and([isExternal, connection.isFamily(6)]);
    case "cluster":
      return not(isExternal);
    case "host":
      return connection.isOwnNode(end);
    case "remote-node":
      return and([connection.isHost(end), not(connection.isOwnNode(end))]);
    case "kube-apiserver":
      return connection.isApiServer(end);
  }
}

// S1.7
export const portsMatch = (ports: Rule["ports"], connection: AnyConnection): Term =>
  ports === "every" ? "true" : or(ports.map((port) => portMatches(port, connection)));

export function portMatches(port: PortMatch, connection: AnyConnection): Term {
  switch (port.kind) {
    case "range":
      return and([connection.uses(port.protocol), connection.portIsIn(port.first, port.last)]);
    case "named":
      return and([
        port.protocol === undefined ? "true" : connection.uses(port.protocol),
        connection.portIsNamed(port.name),
      ]);
    case "icmp": {
      // S7.11: an echo request is type 8, or 128 in ICMPv6; type 0 is every type.
      const isEcho = port.type === 0 || port.type === (port.family === 4 ? 8 : 128);
      return isEcho ? and([connection.uses("ICMP"), connection.isFamily(port.family)]) : "false";
    }
  }
}

/**
 * What the second encoding leaves out: domain names, whose patterns imply each other; conditions of an Allow, which depend on all
 * rules of a tier (S7.7), unless two sets of policies are compared; and objects of foreign APIs. CiliumCIDRGroups of an input are not used either.
 */
export function notCovered(
  { peers, condition }: Pick<Rule, "peers" | "condition">,
  coversConditions = false,
): string | undefined {
  if (coversConditions && condition?.kind !== "foreign") return isNamed(peers) ? "domain names" : undefined;
  if (condition !== undefined && condition.kind !== "authentication") return `condition ${condition.kind}`;
  return isNamed(peers) ? "domain names" : undefined;
}

const isNamed = (peers: readonly Peer[]): boolean => peers.some(({ kind }) => kind === "domains");
