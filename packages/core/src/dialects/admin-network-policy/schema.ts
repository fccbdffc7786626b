import { type Constraint, type Violation, integer, list, oneOf, required } from "../../schema/schema.js";
import { addressPeers, domainPeers, peer, podPeers, podsInNamespaces, subject } from "../admin-peers.js";
import { adminPort, whichPorts } from "../admin-ports.js";
import { domainNamesOnlyAllow, namedPortsNeedPods, ruleLists } from "../admin-rules.js";
import { policyWithSpec } from "../object.js";
import { distinctRuleNames } from "../rule-names.js";

const limit = 100;
/** S4.2: the released API accepts 25, NPEP-126 allows 100. */
const releasedNetworks = 25;

const ports = {
  ports: list(whichPorts, adminPort("one-port"), { minItems: 1, maxItems: limit }),
};

const ingressPeer = peer(
  "an ingress peer",
  "Where traffic comes from: exactly one of these fields.",
  podPeers(podsInNamespaces),
);

const manyNetworks: Constraint = { kind: "custom", check: checkNetworks };
const baselineEgressFields = { ...podPeers(podsInNamespaces), ...addressPeers(limit, releasedNetworks) };

export const adminNetworkPolicy = policyWithSpec(
  "AdminNetworkPolicy",
  "Rules for the pods of the whole cluster that are evaluated before all NetworkPolicies.",
  "Cluster",
  "The priority of the policy, the pods that it applies to, and its rules.",
  {
    priority: required(
      integer(
        "The priority, from 0 to 1000: policies with lower numbers are evaluated first. Give " +
          "policies that select the same pods different priorities.",
        { minimum: 0, maximum: 1000, mayGrow: true },
      ),
    ),
    subject: required(subject(podsInNamespaces)),
    ...ruleLists({
      action: oneOf(
        "What happens to traffic that the rule matches. Allow allows it and Deny denies it, " +
          "and no later rule of this direction is evaluated. Pass skips all other AdminNetworkPolicy " +
          "rules and continues with the NetworkPolicies.",
        ["Allow", "Deny", "Pass"],
      ),
      ports,
      ingressPeer,
      egressPeer: peer(
        "an egress peer",
        "Where traffic goes: exactly one of these fields.",
        { ...baselineEgressFields, ...domainPeers },
        [manyNetworks],
      ),
      limit,
      egressConstraints: [
        namedPortsNeedPods("ports", "namedPort", ["networks", "nodes", "domainNames"]),
        domainNamesOnlyAllow("Allow"),
      ],
    }),
  },
  [distinctRuleNames],
);

export const baselineAdminNetworkPolicy = policyWithSpec(
  "BaselineAdminNetworkPolicy",
  "Rules for the traffic of pods that no AdminNetworkPolicy and no NetworkPolicy " +
    "decides. A cluster has one object of this kind, named `default`.",
  "Cluster",
  "The pods that the policy applies to, and its rules.",
  {
    subject: required(subject(podsInNamespaces)),
    ...ruleLists({
      action: oneOf("What happens to traffic that the rule matches: Allow allows it, Deny denies it.", [
        "Allow",
        "Deny",
      ]),
      ports,
      ingressPeer,
      egressPeer: peer(
        "an egress peer of a BaselineAdminNetworkPolicy",
        "Where traffic goes: exactly one of these fields.",
        baselineEgressFields,
        [manyNetworks],
      ),
      limit,
      egressConstraints: [namedPortsNeedPods("ports", "namedPort", ["networks", "nodes"])],
    }),
  },
  [distinctRuleNames],
  [
    {
      kind: "custom",
      check: checkName,
      cel: {
        rule: "self.metadata.name == 'default'",
        message: "a BaselineAdminNetworkPolicy must be named `default`",
      },
    },
  ],
);

// S4.2
function checkNetworks({ networks }: Readonly<Record<string, unknown>>): readonly Violation[] {
  if (!Array.isArray(networks) || networks.length <= releasedNetworks || networks.length > limit) return [];
  return [
    {
      code: "TW2007",
      path: ["networks"],
      at: "key",
      message: `${networks.length} networks in one peer; the released API accepts ${releasedNetworks}`,
      hint: "Split them into several peers of the rule, which has the same effect.",
      readable: true,
    },
  ];
}

// S4.1
function checkName({ metadata }: Readonly<Record<string, unknown>>): readonly Violation[] {
  const name = (metadata as { readonly name?: string } | undefined)?.name;
  if (name === undefined || name === "" || name === "default") return [];
  return [
    {
      code: "TW1106",
      path: ["metadata", "name"],
      message: `a BaselineAdminNetworkPolicy must be named \`default\`; this one is named \`${name}\``,
      readable: true,
    },
  ];
}
