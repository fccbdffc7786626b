import { formatMatch } from "../labels/requirement.js";
import { formatCidr } from "../net/cidr.js";
import type { DomainPattern, NamespaceSet, Peer, PortMatch, Rule } from "./model.js";

/** Rules in words: short, and in the user's terms. */

export function describePorts(ports: Rule["ports"]): string {
  if (ports === "every") return "every port";
  return ports.length === 0 ? "no port" : ports.map(describePort).join(", ");
}

export function describePort(port: PortMatch): string {
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

export function describePeer(peer: Peer): string {
  switch (peer.kind) {
    case "everything":
      return "everything";
    case "pods": {
      const account = peer.account === undefined ? "" : ` with ${formatMatch(peer.account)}`;
      return `${describeSet(peer.pods, "pods")} in ${describeSet(peer.namespaces, "namespaces")}${account}`;
    }
    case "networks": {
      const except = peer.except.length === 0 ? "" : ` except ${peer.except.map(formatCidr).join(", ")}`;
      return `${peer.cidrs.map(formatCidr).join(", ")}${except}${peer.reach === "external" ? " outside the cluster" : ""}`;
    }
    case "nodes":
      return peer.nodes.length === 0 ? "every node" : `nodes with ${formatMatch(peer.nodes)}`;
    case "domains":
      return peer.patterns.map(describeDomain).join(", ");
    case "entity":
      return `entity ${peer.entity}`;
    case "endpoints":
      return `endpoints of Service ${peer.services.namespace ?? "*"}/${peer.services.name ?? `with ${formatMatch(peer.services.labels ?? [])}`}`;
    case "cidr-group":
      return `CIDR group ${peer.name ?? formatMatch(peer.labels ?? [])}`;
    case "unknown-set":
      return peer.what;
  }
}

function describeSet(set: NamespaceSet, noun: string): string {
  switch (set.kind) {
    case "selector":
      return set.match.length === 0 ? `all ${noun}` : `${noun} with ${formatMatch(set.match)}`;
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

export function describeDomain(pattern: DomainPattern): string {
  return pattern.kind === "subdomains" ? `*.${pattern.text}` : pattern.text;
}
