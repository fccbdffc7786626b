import type { JsonObject } from "@tierwall/core/manifest";

/* Valid policies that use every field of every kind we have definitions of. They need not make sense together. */

const selector: JsonObject = {
  matchLabels: { app: "web", "example.com/team": "a" },
  matchExpressions: [
    { key: "example.com/zone", operator: "In", values: ["a", "b"] },
    { key: "old", operator: "DoesNotExist" },
  ],
};
const pods: JsonObject = { namespaceSelector: selector, podSelector: selector };
const podPeers = [{ pods }, { namespaces: selector }];
const addressPeers = [
  { nodes: selector },
  { networks: ["10.0.0.0/8", "fd00::/8", "64:ff9b::192.0.2.1/128"] },
];
const domainPeers = [{ domainNames: ["example.com", "*.example.org"] }];

const protocols = [
  ...["tcp", "udp", "sctp"].flatMap((protocol) => [
    { [protocol]: { destinationPort: { number: 80 } } },
    { [protocol]: { destinationPort: { range: { start: 1, end: 65_535 } } } },
  ]),
  { destinationNamedPort: "http" },
];
const ports = [
  { portNumber: { protocol: "UDP", port: 53 } },
  { portNumber: { port: 53 } },
  { portRange: { protocol: "SCTP", start: 80, end: 80 } },
  { namedPort: "http" },
];
const policyPorts = [{ protocol: "UDP", port: 53 }, { port: 8000, endPort: 8080 }, { port: "http" }, {}];

const object = (apiVersion: string, kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});
const cluster = (spec: JsonObject) =>
  object("policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolicy", "every-field", spec);
const admin = (spec: JsonObject) =>
  object("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", "every-field", spec);
const baseline = (spec: JsonObject) =>
  object("policy.networking.k8s.io/v1alpha1", "BaselineAdminNetworkPolicy", "default", spec);
const draft = (kind: string, spec: JsonObject) =>
  object("netpol.networking.k8s.io/v1alpha1", kind, "every-field", {
    appliedTo: { namespaceSelector: selector, podSelector: selector },
    ...spec,
  });

const kepPeers = [
  { namespaces: { self: true } },
  { namespaces: { notSelf: true } },
  { namespaces: { namespaceSelector: selector } },
  { namespaces: { sameLabels: ["example.com/team"] } },
  { namespaces: { notSameLabels: ["team", "tier"] } },
  { namespacedPods: { namespaces: { self: true }, pods: { podSelector: selector } } },
  { namespacedPods: { namespaces: { notSelf: true }, pods: { sameLabels: ["app"] } } },
  { namespacedPods: { namespaces: { namespaceSelector: selector }, pods: { notSameLabels: [] } } },
  { namespacedPods: { namespaces: { sameLabels: [] }, pods: { podSelector: {} } } },
  { namespacedPods: { namespaces: { notSameLabels: ["a"] }, pods: { podSelector: {} } } },
];
const draftPeers = [
  { podSelector: selector, namespaceSelector: selector },
  { podSelector: selector, namespaces: { scope: "Self" } },
  { namespaces: { scope: "Selector", selector } },
  { namespaces: { scope: "SameLabels", labels: ["example.com/team"] } },
];

export const everyField: readonly JsonObject[] = [
  cluster({
    tier: "Admin",
    priority: 10,
    subject: { pods },
    ingress: [{ name: "in", action: "Accept", from: podPeers, protocols }],
    egress: [
      { name: "pods", action: "Pass", to: podPeers, protocols },
      { name: "others", action: "Accept", to: [...addressPeers, ...domainPeers] },
    ],
  }),
  cluster({ tier: "Baseline", priority: 1000, subject: { namespaces: selector } }),
  admin({
    priority: 0,
    subject: { pods },
    ingress: [{ name: "in", action: "Allow", from: podPeers, ports }],
    egress: [
      { name: "pods", action: "Deny", to: podPeers, ports },
      { name: "others", action: "Allow", to: [...addressPeers, ...domainPeers] },
    ],
  }),
  admin({ priority: 1000, subject: { namespaces: selector } }),
  baseline({
    subject: { pods },
    ingress: [{ name: "in", action: "Allow", from: podPeers, ports }],
    egress: [
      { name: "pods", action: "Deny", to: podPeers, ports },
      { name: "others", action: "Deny", to: addressPeers },
    ],
  }),
  baseline({ subject: { namespaces: selector } }),
  admin({
    priority: 50,
    subject: { namespaceAndPodSelector: { namespaceSelector: selector, podSelector: selector } },
    ingress: [
      { name: "in", action: "Pass", from: kepPeers, l4Selector: { allPorts: true } },
      { action: "Allow", l4Selector: { ports: policyPorts } },
    ],
    egress: [
      { name: "out", action: "Deny", to: kepPeers, l4Selector: { allPorts: true } },
      { action: "Allow", l4Selector: { ports: policyPorts } },
    ],
  }),
  admin({ priority: 0, subject: { namespaceSelector: selector } }),
  draft("ClusterNetworkPolicy", {
    ingress: [{ action: "Empower", ports: policyPorts, from: draftPeers }],
    egress: [{ action: "Deny", ports: policyPorts, to: draftPeers }],
  }),
  draft("ClusterDefaultNetworkPolicy", {
    ingress: [{ ports: policyPorts, from: draftPeers }],
    egress: [{ ports: policyPorts, to: draftPeers }],
  }),
];
