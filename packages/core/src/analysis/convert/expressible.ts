import type { Cluster, ContainerPort } from "../../cluster/model.js";
import { selects } from "../../labels/requirement.js";
import { type Cidr, singleAddress } from "../../net/cidr.js";
import { cidrsOfRegion, regionOfCidrs, subtract } from "../../net/region.js";
import { describePeer, formatRule } from "../../policy/describe.js";
import { type DomainPattern, type Entity, type Peer, podsPeer, type PortMatch } from "../../policy/model.js";
import type { Draft, DraftRule, Sourced } from "./draft.js";
import { mapRules } from "./draft.js";
import type { Findings } from "./findings.js";

/*
 * The peers of a rule that the released cluster-wide APIs support: pods, and for egress nodes, networks and names. What
 * they cannot express is refused, unless omitting or widening it might change nothing: the proof shows whether it does.
 */

const everyAddress: readonly Cidr[] = [
  { family: 4, first: 0n, prefix: 0 },
  { family: 6, first: 0n, prefix: 0 },
];
const everyPod = podsPeer([], []);
const everyNode: Peer = { kind: "nodes", nodes: [] };
const networks = (cidrs: readonly Cidr[]): Peer => ({
  kind: "networks",
  cidrs,
  except: [],
  reach: "every-address",
});

/** A draft in which every peer and port has a word in the target API; rules that match nothing are gone. */
export function asExpressible(draft: Draft, cluster: Cluster, findings: Findings): Draft {
  const { account } = draft.subject;
  if (account !== undefined)
    findings.refusePolicy(
      draft.definition.policy,
      "this policy selects its subject by service account, which no other API can",
    );
  const rules = mapRules(draft.rules, (rule) => {
    if (rule.peers.length === 0 || rule.ports.length === 0) {
      findings.remark("matches nothing, and is left out", formatRule(rule.origin));
      return [];
    }
    if (rule.ports !== "every") for (const { what } of rule.ports) checkPort(what, rule, cluster, findings);
    const peers = rule.peers.flatMap(({ what, from }) =>
      expressiblePeers(what, rule, cluster, findings).map((peer): Sourced<Peer> => ({ what: peer, from })),
    );
    return peers.length === 0 ? [] : withoutNamesForAddresses({ ...rule, peers });
  });
  return { ...draft, rules };
}

function checkPort(port: PortMatch, { origin }: DraftRule, cluster: Cluster, findings: Findings): void {
  if (port.kind === "icmp") findings.refuseRule(origin, "matches ICMP by type, which the API cannot express");
  if (port.kind !== "named" || port.protocol === undefined) return;
  const isOther = (declared: ContainerPort) =>
    declared.name === port.name && declared.protocol !== port.protocol;
  if ([...cluster.pods.values()].some(({ ports }) => ports.some(isOther)))
    findings.remark(
      `a port name matches every protocol in this API, and some pod has \`${port.name}\` not only for ${port.protocol}`,
      formatRule(origin),
    );
}

function expressiblePeers(
  peer: Peer,
  rule: DraftRule,
  cluster: Cluster,
  findings: Findings,
): readonly Peer[] {
  const { origin, action } = rule;
  const { direction } = origin;
  const refuse = (why: string, hint?: string): readonly Peer[] => {
    findings.refuseRule(origin, why, hint);
    return [];
  };
  const nearly = (what: string): void => {
    findings.remark(what, formatRule(origin));
  };
  switch (peer.kind) {
    case "everything":
      if (direction === "egress") return [everyPod, everyNode, networks(everyAddress)];
      nearly("matches every source; the API can match only pods, not nodes and external addresses");
      return [everyPod];
    case "pods":
      if (peer.account !== undefined)
        return refuse("selects peers by service account, which no other API can");
      return [peer];
    case "nodes":
      return [peer];
    case "networks": {
      if (direction === "ingress")
        return refuse("names sources by address, which the API can do for egress only");
      if (peer.reach === "external")
        nearly(
          "matches external addresses only; as `networks`, it also matches pods and nodes with these addresses",
        );
      return [networks(remaining(peer.cidrs, peer.except))];
    }
    case "domains": {
      const patterns = peer.patterns.map(releasedPattern);
      if (patterns.some((pattern) => pattern === undefined))
        return refuse(
          `names \`${describePeer(peer)}\`; the API supports no pattern except \`*.\` before a name`,
        );
      return [{ kind: "domains", patterns: patterns.flatMap((p) => p ?? []), reach: "external" }];
    }
    case "entity":
      // S7.13, S7.14
      if (peer.nodes !== undefined || peer.apiServer !== undefined)
        return refuse(`is about ${describePeer(peer)}, which the API cannot name`);
      switch (peer.entity) {
        case "world":
        case "world-ipv4":
        case "world-ipv6":
          if (direction === "ingress")
            return refuse("is about sources outside the cluster, which the API cannot name");
          nearly("matches external addresses only; as `networks`, it also matches pods and nodes");
          return [networks(everyAddress.filter(({ family }) => isOfFamily(peer.entity, family)))];
        case "cluster":
          if (direction === "egress") return [everyPod, everyNode];
          nearly("is about nodes too, which the API cannot name as sources");
          return [everyPod];
        case "host":
          // S1.6: a node reaches its own pods in any case.
          if (direction === "ingress" && action === "Allow") return [];
          return refuse("is about the node of each pod, which the API cannot name");
        case "remote-node":
          return refuse("is about the nodes other than that of each pod, which the API cannot name");
        case "kube-apiserver": {
          const known = cluster.facts.apiServer;
          if (known === undefined || direction === "ingress")
            return refuse(
              "is about the API server, which the API cannot express",
              direction === "egress" ? "Set its addresses with `--kube-apiserver`." : undefined,
            );
          nearly("is about the API server; the output contains its current addresses");
          return [networks(known.map(singleAddress))];
        }
      }
    case "cidr-group": {
      const groups = cluster.cidrGroups.filter((group) =>
        peer.labels === undefined ? group.name === peer.name : selects(peer.labels, group.labels),
      );
      if (groups.length === 0 || direction === "ingress")
        return refuse(`refers to ${describePeer(peer)}, which cannot be looked up or named here`);
      nearly(`refers to ${describePeer(peer)}; the output contains its current ranges`);
      const cidrs = groups.flatMap((group) => group.cidrs);
      return [networks(remaining(cidrs, peer.except))];
    }
    case "endpoints":
      return refuse(`is about ${describePeer(peer)}; select the pods behind it instead`);
    case "unknown-set":
      return refuse(`is about ${describePeer(peer)}, which only a cloud provider knows`);
  }
}

const isOfFamily = (entity: Entity, family: Cidr["family"]): boolean =>
  entity === "world" || entity === `world-ipv${family}`;

/** No API but NetworkPolicy has exceptions: what is left is written down. */
function remaining(cidrs: readonly Cidr[], except: readonly Cidr[]): readonly Cidr[] {
  if (except.length === 0) return cidrs;
  return ([4, 6] as const).flatMap((family) => {
    const left = subtract(regionOfCidrs(family, cidrs), regionOfCidrs(family, except));
    return cidrsOfRegion(left);
  });
}

// S8.1, S7.7
function releasedPattern(pattern: DomainPattern): DomainPattern | undefined {
  if (pattern.kind !== "pattern") return pattern;
  const below = /^\*\*\.([^*]+)$/.exec(pattern.text)?.[1];
  if (below !== undefined) return { kind: "subdomains", text: below };
  return pattern.text.includes("*") ? undefined : { kind: "exact", text: pattern.text };
}

/** S3.7: in a rule with both addresses and pods, port names apply only to the pods; addresses have none (S1.8). */
function withoutNamesForAddresses(rule: DraftRule): readonly DraftRule[] {
  const { ports } = rule;
  const isPods = ({ what }: Sourced<Peer>) => what.kind === "pods";
  if (ports === "every" || ports.every(({ what }) => what.kind !== "named")) return [rule];
  const [pods, others] = [rule.peers.filter(isPods), rule.peers.filter((peer) => !isPods(peer))];
  if (others.length === 0) return [rule];
  const numbers = ports.filter(({ what }) => what.kind !== "named");
  return [
    ...(pods.length > 0 ? [{ ...rule, peers: pods }] : []),
    ...(numbers.length > 0 ? [{ ...rule, peers: others, ports: numbers }] : []),
  ];
}
