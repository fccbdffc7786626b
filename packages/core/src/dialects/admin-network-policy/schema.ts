import {
  type Constraint,
  type Violation,
  integer,
  list,
  object,
  oneOf,
  optional,
  required,
} from "../../schema/schema.js";
import { addressPeers, domainPeers, peer, podPeers, podsInNamespaces, subject } from "../admin-peers.js";
import { adminPort, whichPorts } from "../admin-ports.js";
import { domainNamesOnlyAllow, namedPortsNeedPods, ruleLists } from "../admin-rules.js";
import { policyObject } from "../object.js";
import { distinctRuleNames } from "../rule-names.js";

const limit = 100;
/** S4.2: the released API takes 25, NPEP-126 says 100. */
const releasedNetworks = 25;

const ports = {
  ports: optional(list(whichPorts, adminPort("one-port"), { minItems: 1, maxItems: limit })),
};

const ingressPeer = peer(
  "an ingress peer",
  "Where traffic comes from: exactly one of these fields.",
  podPeers(podsInNamespaces),
);

const manyNetworks: Constraint = { kind: "custom", check: checkNetworks };
const baselineEgressFields = { ...podPeers(podsInNamespaces), ...addressPeers(limit, releasedNetworks) };

export const adminNetworkPolicy = policyObject(
  "AdminNetworkPolicy",
  "Rules for the pods of the whole cluster that come before all NetworkPolicies.",
  "Cluster",
  {
    spec: required(
      object(
        "an AdminNetworkPolicy's spec",
        "In which order the policy is asked, which pods it is for, and its rules.",
        {
          priority: required(
            integer(
              "The order of the policies, from 0 to 1000: those with lower numbers are asked first. Give " +
                "policies that select the same pods different numbers.",
              { minimum: 0, maximum: 1000, mayGrow: true },
            ),
          ),
          subject: required(subject(podsInNamespaces)),
          ...ruleLists({
            action: oneOf(
              "What happens to traffic that the rule matches: Allow lets it through and Deny drops it, " +
                "without asking any later rule of this direction; Pass skips all other AdminNetworkPolicy " +
                "rules and asks the NetworkPolicies.",
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
      ),
    ),
  },
);

export const baselineAdminNetworkPolicy = policyObject(
  "BaselineAdminNetworkPolicy",
  "Rules for the traffic of all pods of the cluster that no AdminNetworkPolicy and no NetworkPolicy has " +
    "decided. There is one object of this kind, with the name `default`.",
  "Cluster",
  {
    spec: required(
      object(
        "a BaselineAdminNetworkPolicy's spec",
        "Which pods the policy is for, and its rules.",
        {
          subject: required(subject(podsInNamespaces)),
          ...ruleLists({
            action: oneOf(
              "What happens to traffic that the rule matches: Allow lets it through, Deny drops it.",
              ["Allow", "Deny"],
            ),
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
      ),
    ),
  },
  [
    {
      kind: "custom",
      check: checkName,
      cel: {
        rule: "self.metadata.name == 'default'",
        message: "a BaselineAdminNetworkPolicy must have the name `default`",
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
      hint: "Split them over several peers of the rule: it means the same.",
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
      message: `a BaselineAdminNetworkPolicy must have the name \`default\`; this one is called \`${name}\``,
      readable: true,
    },
  ];
}
