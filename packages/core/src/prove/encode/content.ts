import type { Cidr } from "../../net/cidr.js";
import type { Peer, PodSelection, PortMatch, Rule } from "../../policy/model.js";

/*
 * What a part of a rule is, as a text: parts with the same content match the same connections. Origins are left out. JSON has no
 * integers of this size, which is why addresses are written here.
 */

export const peerContent = (peer: Peer): string => {
  switch (peer.kind) {
    case "networks":
      return `networks ${peer.reach} ${cidrsContent(peer.cidrs)} except ${cidrsContent(peer.except)}`;
    case "cidr-group":
      return `cidr-group ${JSON.stringify([peer.name, peer.labels])} except ${cidrsContent(peer.except)}`;
    default:
      return JSON.stringify(peer);
  }
};

export const portContent = (port: PortMatch | "every"): string => JSON.stringify(port);

/** One peer and one port of a rule. */
export const pairContent = (peer: Peer, port: PortMatch | "every"): string =>
  `${peerContent(peer)} ${portContent(port)}`;

export const subjectContent = ({ namespaces, pods, account }: PodSelection): string =>
  JSON.stringify([namespaces, pods, account]);

export const ruleContent = ({ subject, peers, ports, action, condition, bindsOwnNode }: Rule): string =>
  [
    subjectContent(subject),
    peers.map(peerContent).join(),
    JSON.stringify(ports),
    action,
    JSON.stringify(condition),
    bindsOwnNode,
  ].join(" ");

const cidrsContent = (cidrs: readonly Cidr[]): string =>
  cidrs.map(({ first, prefix, family }) => `${family}:${first}/${prefix}`).join();
