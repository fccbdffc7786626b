/*
 * Guarantees whose proofs need an assumption each, of every kind that an API server can enforce, and the policies that they are about.
 */

const policy = (name: string, priority: number, spec: string) => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec:
  tier: Admin
  priority: ${priority}
${spec}
`;

export const policies = [
  policy(
    "teams",
    1,
    `  subject: {namespaces: {matchExpressions: [{key: team, operator: Exists}]}}
  ingress: [{action: Deny, from: [{namespaces: {}}]}]`,
  ),
  policy(
    "data",
    2,
    `  subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {tier: data}}}}
  ingress: [{action: Deny, from: [{namespaces: {}}]}]`,
  ),
  policy(
    "zones",
    3,
    `  subject: {namespaces: {}}
  egress: [{action: Deny, to: [{nodes: {matchExpressions: [{key: zone, operator: Exists}]}}]}]`,
  ),
  policy(
    "platform",
    4,
    `  subject: {namespaces: {matchLabels: {locked: "true"}}}
  ingress: [{action: Accept, from: [{namespaces: {matchLabels: {role: platform}}}]}, {action: Deny, from: [{namespaces: {}}]}]`,
  ),
  "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: deployed, labels: {purpose: web}}\n",
].join("");

const guarantee = (name: string, from: string, to: string, assumption: string) => `---
apiVersion: tierwall.dev/v1
kind: Guarantee
metadata: {name: ${name}}
spec:
  from: ${from}
  to: ${to}
  verdict: Deny
  assuming: [${assumption}]
`;

const named = (operator: string, name: string) =>
  `{namespaces: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: ${operator}, values: [${name}]}]}}`;

export const guarantees = [
  guarantee(
    "teams",
    "{namespaces: {}}",
    '{namespaces: {matchLabels: {pci: "true"}}}',
    '{every: namespace, with: {matchLabels: {pci: "true"}}, has: {matchExpressions: [{key: team, operator: Exists}, {key: legacy, operator: DoesNotExist}]}}',
  ),
  guarantee(
    "data",
    "{namespaces: {}}",
    "{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: db}}}}",
    "{every: pod, with: {matchLabels: {app: db}}, has: {matchLabels: {tier: data}}}",
  ),
  guarantee(
    "zones",
    "{namespaces: {}}",
    "{nodes: {matchLabels: {edge: yes}}}".replace("yes", '"yes"'),
    '{every: node, with: {matchLabels: {edge: "yes"}}, has: {matchExpressions: [{key: zone, operator: Exists}, {key: zone, operator: NotIn, values: [none]}]}}',
  ),
  guarantee(
    "platform",
    named("NotIn", "operators"),
    '{namespaces: {matchLabels: {locked: "true"}}}',
    "{only: [operators], namespacesWith: {matchLabels: {role: platform}}}",
  ),
  guarantee(
    "deployed",
    named("In", "deployed"),
    '{namespaces: {matchLabels: {locked: "true"}}}',
    "{namespaces: [deployed], are: as-deployed}",
  ),
].join("");

/** An object that a policy refuses, and one that it admits: `name`, where a name matters, and labels. */
export interface Attempt {
  readonly guarantee: string;
  readonly collection: string;
  readonly refused: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly admitted: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

export const attempts: readonly Attempt[] = [
  {
    guarantee: "teams",
    collection: "/api/v1/namespaces",
    refused: { name: "cards", labels: { pci: "true" } },
    admitted: { name: "cards", labels: { pci: "true", team: "a" } },
  },
  {
    guarantee: "teams",
    collection: "/api/v1/namespaces",
    refused: { name: "cards", labels: { pci: "true", team: "a", legacy: "" } },
    // Without labels of its own.
    admitted: { name: "cards" },
  },
  {
    guarantee: "data",
    collection: "/api/v1/namespaces/default/pods",
    refused: { name: "db", labels: { app: "db", tier: "front" } },
    admitted: { name: "db", labels: { app: "db", tier: "data" } },
  },
  {
    guarantee: "zones",
    collection: "/api/v1/nodes",
    refused: { name: "edge-1", labels: { edge: "yes", zone: "none" } },
    admitted: { name: "edge-1", labels: { edge: "yes", zone: "a" } },
  },
  {
    guarantee: "platform",
    collection: "/api/v1/namespaces",
    refused: { name: "tenant", labels: { role: "platform" } },
    admitted: { name: "operators", labels: { role: "platform" } },
  },
  {
    guarantee: "deployed",
    collection: "/api/v1/namespaces",
    refused: { name: "deployed", labels: { purpose: "web", role: "other" } },
    admitted: { name: "deployed", labels: { purpose: "web" } },
  },
];
