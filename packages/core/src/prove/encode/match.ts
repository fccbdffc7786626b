import type { CidrGroup } from "../../cluster/model.js";
import { formatMatch, type LabelMatch, type Requirement, selects } from "../../labels/requirement.js";
import { neverNamed } from "../../net/special-addresses.js";
import type { Cidr } from "../../net/cidr.js";
import type { Entity, NamespaceSet, Peer, PodSelection, PortMatch, Rule } from "../../policy/model.js";
import { echoRequest } from "../../evaluate/match.js";
import { FALSE, type Literal, not, TRUE } from "../sat/index.js";
import type { Connection, LabelScope } from "./connection.js";
import { type End, otherEnd } from "./label-pair.js";

/*
 * evaluate/match.ts as literals: the same cases in the same order, where `subject` and `other` are ends of the connection
 * that is looked for, and not of one that is known.
 */
export class Matching {
  private readonly selections = new Map<PodSelection, Partial<Record<End, Literal>>>();
  private readonly peers = new Map<Peer, Partial<Record<End, Literal>>>();

  constructor(
    readonly connection: Connection,
    /** Those that are written; any other group may have any addresses. */
    private readonly cidrGroups: readonly CidrGroup[],
  ) {}

  isSubject(selection: PodSelection, end: End): Literal {
    return cached(this.selections, selection, end, () =>
      this.and([
        this.connection.is(end, "pod"),
        this.selects("namespace", selection.namespaces, end),
        this.selects("pod", selection.pods, end),
        this.selects("account", selection.account ?? [], end),
      ]),
    );
  }

  anyPeerMatches(peers: readonly Peer[], subject: End): Literal {
    return this.or(peers.map((peer) => this.peerMatches(peer, subject)));
  }

  peerMatches(peer: Peer, subject: End): Literal {
    return cached(this.peers, peer, subject, () => this.matchPeer(peer, subject));
  }

  portsMatch(ports: Rule["ports"]): Literal {
    return ports === "every" ? TRUE : this.or(ports.map((port) => this.portMatches(port)));
  }

  portMatches(port: PortMatch): Literal {
    const { connection } = this;
    switch (port.kind) {
      case "range":
        return this.and([connection.protocol(port.protocol), connection.portBetween(port.first, port.last)]);
      case "named":
        return this.and([
          port.protocol === undefined ? TRUE : connection.protocol(port.protocol),
          connection.portNamed(port.name),
        ]);
      case "icmp":
        if (port.type !== 0 && port.type !== echoRequest[port.family]) return FALSE;
        return this.and([connection.protocol("ICMP"), connection.family(port.family)]);
    }
  }

  // S1.10
  selects(scope: LabelScope, match: LabelMatch, end: End): Literal {
    return this.and(match.map((requirement) => this.holds(scope, requirement, end)));
  }

  /** Adds what follows from everything that is mentioned. Call it before solving. */
  close(): void {
    this.connection.close();
  }

  private matchPeer(peer: Peer, subject: End): Literal {
    const { connection } = this;
    const other = otherEnd(subject);
    const isExternal = connection.is(other, "external");
    switch (peer.kind) {
      case "everything":
        return TRUE;
      case "pods":
        return this.and([
          connection.is(other, "pod"),
          this.isInSet("namespace", peer.namespaces, other),
          this.isInSet("pod", peer.pods, other),
          this.selects("account", peer.account ?? [], other),
        ]);
      case "networks":
        return this.and([
          peer.reach === "every-address" ? TRUE : isExternal,
          this.addressIsIn(peer.cidrs, peer.except, other),
        ]);
      case "nodes":
        return this.nodeIsSelected(peer.nodes, other);
      case "domains":
        // S8.3: without records a name matches external addresses only.
        return this.and([
          isExternal,
          not(this.addressIsIn(neverNamed, [], other)),
          this.or(peer.patterns.map((pattern) => connection.hasName(pattern))),
        ]);
      case "entity":
        return this.and([
          this.entityIncludes(peer.entity, other),
          peer.nodes === undefined ? TRUE : this.nodeIsSelected(peer.nodes, other),
          peer.apiServer === undefined
            ? TRUE
            : peer.apiServer
              ? connection.isApiServer(other)
              : not(connection.isApiServer(other)),
        ]);
      case "endpoints": {
        const { namespace = "*", name, labels = [] } = peer.services;
        return connection.fact(`service:Service ${namespace}/${name ?? `with ${formatMatch(labels)}`}`);
      }
      case "cidr-group":
        return this.and([isExternal, this.cidrGroupIncludes(peer, other)]);
      case "unknown-set":
        return this.and([
          peer.reach === "every-address" ? TRUE : isExternal,
          connection.fact(`set:${peer.what}`),
        ]);
    }
  }

  private holds(scope: LabelScope, { key, operator, values }: Requirement, end: End): Literal {
    const label = this.connection.label(scope, key);
    switch (operator) {
      case "In":
        return this.or(values.map((value) => label.is(end, value)));
      case "NotIn":
        return not(this.or(values.map((value) => label.is(end, value))));
      case "Exists":
        return label.present(end);
      case "DoesNotExist":
        return not(label.present(end));
    }
  }

  // S5.4
  private isInSet(scope: "namespace" | "pod", set: NamespaceSet, end: End): Literal {
    const { connection } = this;
    const equal = (key: string) => connection.label(scope, key).equal();
    switch (set.kind) {
      case "selector":
        return this.selects(scope, set.match, end);
      case "self":
        return connection.sameNamespace;
      case "not-self":
        return not(connection.sameNamespace);
      case "same-labels":
        return set.keys.length === 0 ? FALSE : this.and(set.keys.map(equal));
      case "not-same-labels":
        return set.keys.length === 0 ? FALSE : not(this.or(set.keys.map(equal)));
    }
  }

  private addressIsIn(cidrs: readonly Cidr[], except: readonly Cidr[], end: End): Literal {
    const within = (list: readonly Cidr[]) => this.or(list.map((cidr) => this.connection.isIn(end, cidr)));
    return this.and([within(cidrs), not(within(except))]);
  }

  private nodeIsSelected(match: LabelMatch, end: End): Literal {
    return this.and([this.connection.isHost(end), this.selects("node", match, end)]);
  }

  // S7.5
  private entityIncludes(entity: Entity, end: End): Literal {
    const { connection } = this;
    const isExternal = connection.is(end, "external");
    switch (entity) {
      case "world":
        return isExternal;
      case "world-ipv4":
        return this.and([isExternal, connection.family(4)]);
      case "world-ipv6":
        return this.and([isExternal, connection.family(6)]);
      case "cluster":
        return not(isExternal);
      case "host":
        return this.and([connection.isHost(end), connection.ownNode]);
      case "remote-node":
        return this.and([connection.isHost(end), not(connection.ownNode)]);
      case "kube-apiserver":
        return connection.isApiServer(end);
    }
  }

  // S7.11
  private cidrGroupIncludes(peer: Extract<Peer, { kind: "cidr-group" }>, end: End): Literal {
    const groups = this.cidrGroups.filter((group) =>
      peer.labels === undefined ? group.name === peer.name : selects(peer.labels, group.labels),
    );
    const included =
      groups.length > 0
        ? this.addressIsIn(
            groups.flatMap(({ cidrs }) => cidrs),
            [],
            end,
          )
        : this.connection.fact(`cidr-group:${peer.name ?? JSON.stringify(peer.labels)}`);
    return this.and([included, not(this.addressIsIn(peer.except, [], end))]);
  }

  private and(literals: readonly Literal[]): Literal {
    return this.connection.formula.and(literals);
  }

  private or(literals: readonly Literal[]): Literal {
    return this.connection.formula.or(literals);
  }
}

function cached<K>(
  known: Map<K, Partial<Record<End, Literal>>>,
  key: K,
  end: End,
  make: () => Literal,
): Literal {
  const entry = known.get(key) ?? {};
  known.set(key, entry);
  return (entry[end] ??= make());
}
