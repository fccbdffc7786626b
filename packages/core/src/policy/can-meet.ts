import type { LabelMatch } from "../labels/requirement.js";
import { isSatisfiable } from "../labels/satisfiable.js";
import { overlaps } from "../net/cidr.js";
import type { NamespaceSet, Peer, PodSelection, PortMatch, Rule } from "./model.js";

/** Whether some connection could match both rules, in some cluster. The result may be true although no connection does. */
export function canMeet(a: Rule, b: Rule): boolean {
  return (
    a.origin.direction === b.origin.direction &&
    subjectsCanMeet(a.subject, b.subject) &&
    portsCanMeet(a.ports, b.ports) &&
    a.peers.some((x) => b.peers.some((y) => peersCanMeet(x, y)))
  );
}

export function subjectsCanMeet(a: PodSelection, b: PodSelection): boolean {
  return (
    fulfillable(a.namespaces, b.namespaces) &&
    fulfillable(a.pods, b.pods) &&
    fulfillable(a.account, b.account)
  );
}

const fulfillable = (a: LabelMatch = [], b: LabelMatch = []): boolean => isSatisfiable([...a, ...b]);

function peersCanMeet(a: Peer, b: Peer): boolean {
  if (a.kind === "pods" && b.kind === "pods")
    return (
      setsCanMeet(a.namespaces, b.namespaces) &&
      setsCanMeet(a.pods, b.pods) &&
      fulfillable(a.account, b.account)
    );
  if (a.kind === "nodes" && b.kind === "nodes") return fulfillable(a.nodes, b.nodes);
  if (a.kind === "networks" && b.kind === "networks")
    return a.cidrs.some((x) => b.cidrs.some((y) => overlaps(x, y)));
  // S3.4: pods and external addresses are not nodes.
  return !(isInside(a) && isOutside(b)) && !(isInside(b) && isOutside(a)) && !arePodAndNode(a, b);
}

const isInside = ({ kind }: Peer): boolean => kind === "pods" || kind === "nodes";

const isOutside = (peer: Peer): boolean =>
  peer.kind === "cidr-group" || ("reach" in peer && peer.reach === "external");

const arePodAndNode = (a: Peer, b: Peer): boolean =>
  (a.kind === "pods" && b.kind === "nodes") || (a.kind === "nodes" && b.kind === "pods");

/** Relative sets (S5.4) may contain any pod. */
function setsCanMeet(a: NamespaceSet, b: NamespaceSet): boolean {
  return a.kind !== "selector" || b.kind !== "selector" || fulfillable(a.match, b.match);
}

function portsCanMeet(a: Rule["ports"], b: Rule["ports"]): boolean {
  if (a === "every" || b === "every") return a.length > 0 && b.length > 0;
  return a.some((x) => b.some((y) => portCanMeet(x, y)));
}

/** A name may be any port number of its protocol. */
function portCanMeet(a: PortMatch, b: PortMatch): boolean {
  if (a.kind === "icmp" && b.kind === "icmp")
    return a.family === b.family && (a.type === b.type || a.type === 0 || b.type === 0);
  if (a.kind === "icmp" || b.kind === "icmp") return false;
  if (a.protocol !== undefined && b.protocol !== undefined && a.protocol !== b.protocol) return false;
  return a.kind === "named" || b.kind === "named" || (a.first <= b.last && b.first <= a.last);
}
