import { guardrailAt } from "./cluster-policies.js";
import type { Json, JsonObject, Manifest } from "./json.js";
import { networkPoliciesOf } from "./network-policies.js";
import { planCluster } from "./plan.js";
import { Random } from "./random.js";
import { shapes } from "./shape.js";
import { environments, teams } from "./vocabulary.js";

/* Policies that proofs are measured on, and what is claimed about them. */

/** ClusterNetworkPolicies of 25 rules, the first of which protects card data, and NetworkPolicies of a usual cluster. */
export function guardrailsOf(
  clusterPolicies: number,
  networkPolicies: number,
  seed: number,
  rules = 25,
): readonly Manifest[] {
  const random = new Random(seed).fork("guardrails");
  const namespaces = Math.max(1, Math.ceil(networkPolicies / shapes["10k/1k"].policiesPerNamespace));
  const plan = planCluster({ ...shapes["10k/1k"], namespaces, clusterPolicies: 0 }, seed);
  return [
    cardData,
    ...Array.from({ length: clusterPolicies - 1 }, (_, i) =>
      guardrailAt(i + 1, rules, random.fork(String(i))),
    ),
    ...(networkPolicies === 0 ? [] : networkPoliciesOf(plan)),
  ];
}

const everyNamespace: Json = [{ namespaces: {} }];

const cardData: Manifest = policy("card-data", { matchLabels: { compliance: "pci" } }, 0, [
  { action: "Pass", from: [{ namespaces: { matchLabels: { compliance: "pci" } } }] },
  { action: "Pass", from: everyNamespace, protocols: [{ tcp: { destinationPort: { number: 443 } } }] },
  { action: "Deny", from: everyNamespace },
]);

/** A half of them holds, and the others depend on policies that were made by chance. */
export function claimsAbout(count: number): string {
  const selected = (key: string, operator: string, value: string) =>
    `{matchExpressions: [{key: ${key}, operator: ${operator}, values: [${value}]}]}`;
  const at = (list: readonly string[], i: number) => list[i % list.length]!;
  return Array.from({ length: count }, (_, i) =>
    i % 2 === 0
      ? guarantee(`card-data-${i}`, [
          `from: {pods: {namespaceSelector: ${selected("compliance", "NotIn", "pci")}, podSelector: ${selected("app", "In", `app-${i}`)}}}`,
          `to: {namespaces: {matchLabels: {compliance: pci}}}`,
          `exceptPorts: [443/TCP]`,
        ])
      : guarantee(`teams-${i}`, [
          `from: {namespaces: {matchLabels: {team: ${at(teams, i)}, env: ${at(environments, i)}}}}`,
          `to: {namespaces: {matchLabels: {team: ${at(teams, i * 7 + 3)}}}}`,
          `ports: [${1000 + i}/TCP]`,
        ]),
  ).join("---\n");
}

/** For each tenant a policy of 25 rules: others reach it on port 443, and on no other port. */
export function tenantsOf(count: number): readonly Manifest[] {
  return Array.from({ length: count }, (_, i) => {
    const own = { matchLabels: { tenant: `tenant-${i}` } };
    const inside = Array.from({ length: 22 }, (_rule, k) => ({
      action: k % 3 === 0 ? "Pass" : "Accept",
      from: [
        { pods: { namespaceSelector: own, podSelector: { matchLabels: { app: `app-${(i + k) % 40}` } } } },
      ],
      protocols: [{ tcp: { destinationPort: { number: 8000 + k } } }],
    }));
    return policy(`tenant-${i}`, own, i % 1000, [
      ...inside,
      { action: "Pass", from: [{ namespaces: own }] },
      { action: "Pass", from: everyNamespace, protocols: [{ tcp: { destinationPort: { number: 443 } } }] },
      { action: "Deny", from: everyNamespace },
    ]);
  });
}

export function claimAboutTenants(count: number): string {
  const all = Array.from({ length: count }, (_, i) => `tenant-${i}`).join(", ");
  return guarantee("between-any-two-only-443", [
    "from: {namespaces: {notSameLabels: [tenant]}}",
    `to: {namespaces: {matchExpressions: [{key: tenant, operator: In, values: [${all}]}]}}`,
    "exceptPorts: [443/TCP]",
  ]);
}

/** The same policies in other words: each rule that has several peers is one rule for each of them, in the opposite order. */
export function refactored(policies: readonly Manifest[]): readonly Manifest[] {
  return policies.map((object) => {
    const spec = object.spec as JsonObject;
    const split = (direction: "ingress" | "egress", field: "from" | "to"): JsonObject => {
      const rules = spec[direction] as readonly JsonObject[] | undefined;
      return rules === undefined ? {} : { [direction]: rules.flatMap((rule) => splitRule(rule, field)) };
    };
    return { ...object, spec: { ...spec, ...split("ingress", "from"), ...split("egress", "to") } };
  });
}

function splitRule(rule: JsonObject, field: "from" | "to"): readonly JsonObject[] {
  const peers = rule[field] as readonly Json[];
  return peers.map((peer) => ({ ...rule, [field]: [peer] })).toReversed();
}

function policy(
  name: string,
  namespaces: JsonObject,
  priority: number,
  ingress: readonly JsonObject[],
): Manifest {
  return {
    apiVersion: "policy.networking.k8s.io/v1alpha2",
    kind: "ClusterNetworkPolicy",
    metadata: { name },
    spec: { tier: "Admin", priority, subject: { namespaces }, ingress },
  };
}

/** NetworkPolicies are part of the proof where they are not to be deleted. */
const guarantee = (name: string, lines: readonly string[]): string =>
  [
    "apiVersion: tierwall.dev/v1",
    "kind: Guarantee",
    `metadata: {name: ${name}}`,
    "spec:",
    ...lines.map((line) => `  ${line}`),
    "  verdict: Deny",
    "  whatever: {networkPolicies: more}",
    "",
  ].join("\n");
