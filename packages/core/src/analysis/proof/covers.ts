import { implies } from "../../labels/satisfiable.js";
import type { Cidr } from "../../net/cidr.js";
import { isEmpty, regionOfCidrs, subtract } from "../../net/region.js";
import type { NamespaceSet, Peer, PodSelection, PortMatch, Rule } from "../../policy/model.js";

/**
 * Whether one rule matches all that another does, whatever is deployed. Where this says no it may still be so: each peer
 * and port is held against one other at a time.
 */
export function coversRule(outer: Rule, inner: Rule): boolean {
  return (
    portsCover(outer.ports, inner.ports) &&
    subjectCovers(outer.subject, inner.subject) &&
    inner.peers.every((peer) => outer.peers.some((other) => peerCovers(other, peer, inner.subject))) &&
    // S7.8: to a pod's own node, only these say anything.
    (inner.bindsOwnNode === undefined || outer.bindsOwnNode === true)
  );
}

function subjectCovers(outer: PodSelection, inner: PodSelection): boolean {
  return (
    implies(inner.namespaces, outer.namespaces) &&
    implies(inner.pods, outer.pods) &&
    implies(inner.account ?? [], outer.account ?? [])
  );
}

function peerCovers(outer: Peer, inner: Peer, subject: PodSelection): boolean {
  if (outer.kind === "everything") return true;
  switch (inner.kind) {
    case "pods":
      return (
        outer.kind === "pods" &&
        setCovers(outer.namespaces, inner.namespaces, subject) &&
        setCovers(outer.pods, inner.pods, subject) &&
        implies(inner.account ?? [], outer.account ?? [])
      );
    case "networks":
      return (
        outer.kind === "networks" &&
        (outer.reach === "every-address" || inner.reach === "external") &&
        ([4, 6] as const).every((family) =>
          isEmpty(subtract(regionOf(inner, family), regionOf(outer, family))),
        )
      );
    case "nodes":
      return outer.kind === "nodes" && (outer.nodes.length === 0 || isEqual(outer, inner));
    case "everything":
    case "domains":
    case "entity":
    case "endpoints":
    case "cidr-group":
    case "unknown-set":
      return isEqual(outer, inner);
  }
}

function regionOf({ cidrs, except }: Extract<Peer, { kind: "networks" }>, family: Cidr["family"]) {
  return subtract(regionOfCidrs(family, cidrs), regionOfCidrs(family, except));
}

function setCovers(outer: NamespaceSet, inner: NamespaceSet, subject: PodSelection): boolean {
  if (outer.kind === "selector") {
    if (outer.match.length === 0) return true;
    if (inner.kind === "selector") return implies(inner.match, outer.match);
    // The subject's own namespace is one of those that the subject selects.
    return inner.kind === "self" && implies(subject.namespaces, outer.match);
  }
  return isEqual(outer, inner);
}

function portsCover(outer: Rule["ports"], inner: Rule["ports"]): boolean {
  if (outer === "every") return true;
  return inner !== "every" && inner.every((port) => outer.some((other) => portCovers(other, port)));
}

function portCovers(outer: PortMatch, inner: PortMatch): boolean {
  switch (inner.kind) {
    case "range":
      return (
        outer.kind === "range" &&
        outer.protocol === inner.protocol &&
        outer.first <= inner.first &&
        outer.last >= inner.last
      );
    case "named":
      return (
        outer.kind === "named" &&
        outer.name === inner.name &&
        (outer.protocol === undefined || outer.protocol === inner.protocol)
      );
    case "icmp":
      return (
        outer.kind === "icmp" &&
        outer.family === inner.family &&
        (outer.type === 0 || outer.type === inner.type)
      );
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? `${item}` : item));
  return text(a) === text(b);
}
