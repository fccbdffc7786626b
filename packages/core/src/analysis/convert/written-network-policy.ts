import { given } from "../../diagnostics/given.js";
import type { Json, JsonObject } from "../../manifest/document.js";
import type { CommentedObject } from "../../manifest/yaml/write-yaml.js";
import { formatCidr } from "../../net/cidr.js";
import { describePeer, formatRule } from "../../policy/describe.js";
import { type Direction, directions, type Entity, type Peer, type PortMatch } from "../../policy/model.js";
import { carriedComments } from "./comments.js";
import type { DraftRule, NamespacedDraft } from "./draft.js";
import type { Findings } from "./findings.js";
import { headParts, ruleParts, writtenMetadata } from "./written-policy.js";
import { writtenSelector } from "./written-selector.js";

/** A draft as a NetworkPolicy. What that API has no word for is refused. */
export function writtenNetworkPolicy(
  draft: NamespacedDraft,
  name: string,
  findings: Findings,
): CommentedObject {
  const spoken = directions.filter((direction) => draft.rules[direction] !== undefined);
  const written = (direction: Direction) =>
    draft.rules[direction]!.flatMap((rule) => writtenRule(rule, direction, findings));
  const value = networkPolicyObject(
    writtenMetadata(draft.definition, { name, namespace: draft.namespace }),
    writtenSelector(draft.pods),
    Object.fromEntries(spoken.map((direction) => [direction, written(direction)] as const)),
  );
  const parts = spoken.flatMap((direction) =>
    draft.rules[direction]!.flatMap((rule, i) => ruleParts(rule, ["spec", direction, i], "ports")),
  );
  const head = headParts(["appliedTo", "endpointSelector"], ["spec", "podSelector"]);
  const comments = carriedComments(draft.definition, [...head, ...parts]);
  return { value, comments, replaces: draft.definition.object };
}

/** With a list of rules, which may be missing, for each direction in which it isolates. */
export const networkPolicyObject = (
  metadata: JsonObject,
  podSelector: Json,
  rules: { readonly [direction in Direction]?: readonly JsonObject[] | undefined },
): JsonObject => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata,
  spec: {
    podSelector,
    policyTypes: Object.keys(rules).map((direction) => (direction === "ingress" ? "Ingress" : "Egress")),
    ...(given(rules) as JsonObject),
  },
});

function writtenRule(rule: DraftRule, direction: Direction, findings: Findings): readonly JsonObject[] {
  const isEverything = rule.peers.some(({ what }) => what.kind === "everything");
  const peers = isEverything ? [] : rule.peers.flatMap(({ what }) => writtenPeers(what, rule, findings));
  if (peers.length === 0 && !isEverything) return [];
  if (rule.ports !== "every" && rule.ports.some(({ what }) => what.kind === "icmp"))
    findings.refuseRule(rule.origin, "matches ICMP by type, which a NetworkPolicy cannot express");
  return [
    {
      ...(isEverything ? {} : { [direction === "ingress" ? "from" : "to"]: peers }),
      ...(rule.ports === "every" ? {} : { ports: rule.ports.flatMap(({ what }) => writtenPorts(what)) }),
    },
  ];
}

function writtenPeers(peer: Peer, { origin }: DraftRule, findings: Findings): readonly JsonObject[] {
  const nearly = (what: string) => findings.remark(what, formatRule(origin));
  const refuse = (): readonly JsonObject[] => {
    findings.refuseRule(origin, `is about ${describePeer(peer)}, which a NetworkPolicy cannot express`);
    return [];
  };
  switch (peer.kind) {
    case "pods": {
      if (peer.account !== undefined || peer.namespaces.kind !== "selector" || peer.pods.kind !== "selector")
        return refuse();
      const pods = peer.pods.match.length === 0 ? {} : { podSelector: writtenSelector(peer.pods.match) };
      return [{ namespaceSelector: writtenSelector(peer.namespaces.match), ...pods }];
    }
    case "networks":
      if (peer.reach === "external")
        nearly(
          "matches external addresses only; an ipBlock also matches pods and nodes with these addresses",
        );
      return peer.cidrs.map((cidr) => ({
        ipBlock: {
          cidr: formatCidr(cidr),
          ...(peer.except.length === 0 ? {} : { except: peer.except.map(formatCidr) }),
        },
      }));
    case "entity":
      if (peer.nodes !== undefined || peer.apiServer !== undefined) return refuse();
      // S1.6: a node reaches its own pods in any case.
      if (peer.entity === "host" && origin.direction === "ingress") return [];
      if (peer.entity === "cluster") {
        nearly("is about nodes too, which a NetworkPolicy cannot name");
        return [{ namespaceSelector: {} }];
      }
      if (!(peer.entity in externalBlocks)) return refuse();
      nearly("matches external addresses only; an ipBlock also matches pods and nodes");
      return externalBlocks[peer.entity]!.map((cidr) => ({ ipBlock: { cidr } }));
    case "everything":
      return [];
    case "nodes":
    case "domains":
    case "endpoints":
    case "cidr-group":
    case "unknown-set":
      return refuse();
  }
}

const externalBlocks: { readonly [entity in Entity]?: readonly string[] } = {
  world: ["0.0.0.0/0", "::/0"],
  "world-ipv4": ["0.0.0.0/0"],
  "world-ipv6": ["::/0"],
};

/** S2.4; a name without a protocol is that name in each (S1.8). */
function writtenPorts(port: PortMatch): readonly JsonObject[] {
  switch (port.kind) {
    case "range": {
      const { protocol, first, last } = port;
      if (first === 1 && last === 65535) return [{ protocol }];
      return [{ protocol, port: first, ...(first === last ? {} : { endPort: last }) }];
    }
    case "named": {
      const protocols = port.protocol === undefined ? ["TCP", "UDP", "SCTP"] : [port.protocol];
      return protocols.map((protocol) => ({ protocol, port: port.name }));
    }
    case "icmp":
      return [];
  }
}
