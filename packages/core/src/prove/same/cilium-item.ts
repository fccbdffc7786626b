import { type LabelMatch, namespaceNameLabel } from "../../labels/requirement.js";
import { formatCidr } from "../../net/cidr.js";
import type { JsonObject } from "../../manifest/document.js";
import { type Direction, directions, type Entity, type Peer, type PortMatch } from "../../policy/model.js";
import type { OwnerRule, WriteRules } from "../encode/index.js";

/*
 * A peer and a port as an item of a CiliumNetworkPolicy in this namespace: read again, they are the same peer and port, with the
 * same content (S7.7).
 */
export function ciliumItem({ direction, peer, port }: OwnerRule, namespace: string): JsonObject {
  const way = direction === "ingress" ? "from" : "to";
  const ports: JsonObject =
    port === "every"
      ? {}
      : port.kind === "icmp"
        ? { icmps: [{ fields: [{ family: `IPv${port.family}`, type: port.type }] }] }
        : { toPorts: [{ ports: [portOf(port)] }] };
  const [field, written] = peerField(peer, namespace);
  return { [`${way}${field}`]: [written], ...ports };
}

function portOf(port: Exclude<PortMatch, { kind: "icmp" }>): JsonObject {
  if (port.kind === "named")
    return { port: port.name, ...(port.protocol === undefined ? {} : { protocol: port.protocol }) };
  const { first, last, protocol } = port;
  return { port: `${first}`, ...(last > first ? { endPort: last } : {}), protocol };
}

type PeerField = readonly [field: string, item: JsonObject | string];

function peerField(peer: Peer, namespace: string): PeerField {
  switch (peer.kind) {
    case "everything":
      return ["Entities", "all"];
    case "pods":
      return ["Endpoints", podsSelector(peer, namespace)];
    case "networks": {
      const [cidr] = peer.cidrs.map(formatCidr);
      if (peer.except.length === 0) return ["CIDR", cidr ?? ""];
      return ["CIDRSet", { cidr: cidr ?? "", except: peer.except.map(formatCidr) }];
    }
    case "cidr-group": {
      const group =
        peer.labels === undefined
          ? { cidrGroupRef: peer.name ?? "" }
          : { cidrGroupSelector: selectorOf(peer.labels) };
      return [
        "CIDRSet",
        { ...group, ...(peer.except.length === 0 ? {} : { except: peer.except.map(formatCidr) }) },
      ];
    }
    case "domains": {
      const [{ kind, text }] = peer.patterns as readonly [(typeof peer.patterns)[number]];
      return ["FQDNs", kind === "exact" ? { matchName: text } : { matchPattern: text }];
    }
    case "entity":
      return entityField(peer);
    case "endpoints": {
      const { name, labels = [], namespace: where } = peer.services;
      const within = where === undefined ? {} : { namespace: where };
      return name === undefined
        ? ["Services", { k8sServiceSelector: { selector: selectorOf(labels), ...within } }]
        : ["Services", { k8sService: { serviceName: name, ...within } }];
    }
    case "unknown-set":
      return ["Groups", { aws: awsGroup(peer.what) }];
    case "nodes":
      // No rule of Cilium has it: its nodes are entities.
      return ["Nodes", selectorOf(peer.nodes)];
  }
}

/** S7.4: without a namespace label, it would be the pods of the policy's own namespace. */
function podsSelector(
  { namespaces, pods, account = [] }: Extract<Peer, { kind: "pods" }>,
  namespace: string,
): JsonObject {
  const inNamespaces = namespaces.kind === "selector" ? namespaces.match : [];
  const ofPods = pods.kind === "selector" ? pods.match : [];
  const own = [
    ...withKeys(ofPods, (key) => `k8s:${key}`),
    ...withKeys(account, () => "k8s:io.cilium.k8s.policy.serviceaccount"),
  ];
  const [first, ...others] = inNamespaces;
  const isHome =
    first?.key === namespaceNameLabel &&
    first.operator === "In" &&
    first.values.length === 1 &&
    first.values[0] === namespace &&
    others.length === 0;
  if (isHome) return selectorOf(own);
  const written = withKeys(inNamespaces, (key) =>
    key === namespaceNameLabel
      ? "k8s:io.kubernetes.pod.namespace"
      : `k8s:io.cilium.k8s.namespace.labels.${key}`,
  );
  return selectorOf([...(inNamespaces.length === 0 ? podsOnly : written), ...own]);
}

const lacks = (name: string): LabelMatch[number] => ({
  key: `reserved:${name}`,
  operator: "DoesNotExist",
  values: [],
});

/** S7.13: with a `reserved:` key, a selector is about every namespace; only pods have none of these. */
const podsOnly: LabelMatch = ["host", "remote-node", "world", "world-ipv4", "world-ipv6"].map(lacks);

const has = (name: string): LabelMatch[number] => ({ ...lacks(name), operator: "Exists" });

// S7.5, S7.13, S7.14
function entityField({ entity, nodes, apiServer }: Extract<Peer, { kind: "entity" }>): PeerField {
  const server = apiServer === undefined ? [] : [(apiServer ? has : lacks)("kube-apiserver")];
  if (nodes !== undefined)
    return ["Nodes", selectorOf([...withKeys(nodes, (key) => `node:${key}`), ...server])];
  if (apiServer === undefined && !isFamily(entity)) return ["Entities", entity];
  const named = entity === "world" ? [lacks("host"), lacks("remote-node")] : [has(entity)];
  return ["Endpoints", selectorOf([...named, ...server])];
}

const isFamily = (entity: Entity): boolean => entity === "world-ipv4" || entity === "world-ipv6";

const withKeys = (match: LabelMatch, keyOf: (key: string) => string): LabelMatch =>
  match.map((requirement) => ({ ...requirement, key: keyOf(requirement.key) }));

/** In the order of the requirements, as content is compared; labels alone are easier to read as such. */
function selectorOf(match: LabelMatch): JsonObject {
  if (match.length === 0) return {};
  const isLabels =
    match.every(({ operator, values }) => operator === "In" && values.length === 1) &&
    new Set(match.map(({ key }) => key)).size === match.length &&
    // Objects have such keys in another order.
    !match.some(({ key }) => /^\d+$/.test(key));
  if (isLabels) return { matchLabels: Object.fromEntries(match.map(({ key, values }) => [key, values[0]!])) };
  return {
    matchExpressions: match.map(({ key, operator, values }) => ({
      key,
      operator,
      ...(operator === "In" || operator === "NotIn" ? { values: [...values] } : {}),
    })),
  };
}

/** What is not JSON is no group that can be written; the evaluator does not confirm it then. */
function parsed(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}

/** The parts of what lowering calls the group, in its order. */
function awsGroup(what: string): JsonObject {
  const [, ids, names, tags, region] =
    /^AWS instances(?:, security group (.*?))?(?:, security groups named (.*?))?(?:, tags (\{.*?\}))?(?:, region (.*))?$/.exec(
      what,
    ) ?? [];
  return {
    ...(ids === undefined ? {} : { securityGroupsIds: ids.split(", ") }),
    ...(names === undefined ? {} : { securityGroupsNames: names.split(", ") }),
    ...(tags === undefined ? {} : { labels: parsed(tags) }),
    ...(region === undefined ? {} : { region }),
  };
}

/** What owners allow exactly, and what they deny, as one policy for each direction and action. */
export const ownerPolicies: WriteRules = (rules, namespaceOf) =>
  directions.flatMap((direction) =>
    (["Allow", "Deny"] as const).flatMap((action) => {
      const some = rules.filter((rule) => rule.direction === direction && rule.action === action);
      if (some.length === 0) return [];
      const namespace = namespaceOf(direction);
      const items = some.map((rule) => ciliumItem(rule, namespace));
      const sections =
        action === "Allow"
          ? { [direction]: items }
          : { enableDefaultDeny: { ingress: false, egress: false }, [`${direction}Deny`]: items };
      return [
        {
          apiVersion: "cilium.io/v2",
          kind: "CiliumNetworkPolicy",
          metadata: { name: ownerRulesName(direction, action), namespace },
          spec: { endpointSelector: {}, ...sections },
        },
      ];
    }),
  );

export const ownerRulesName = (direction: Direction, action: "Allow" | "Deny"): string =>
  `owner-${direction}-${action.toLowerCase()}`;
