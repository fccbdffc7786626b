import { expect, test } from "vitest";
import { answerExplain } from "../worker/questions/explain.js";
import { HeldState } from "../worker/held-state.js";
import { firstSelection } from "./selection.js";
import { reasonOf } from "./reason.js";
import { firstPort } from "./port-table.js";

const text = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
status: {podIP: 10.1.0.1}
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: shop, labels: {app: db}}
status: {podIP: 10.1.0.2}
---
apiVersion: v1
kind: Pod
metadata: {name: probe, namespace: lab, labels: {app: probe}}
status: {podIP: 10.1.0.3}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: db, namespace: shop}
spec:
  podSelector: {matchLabels: {app: db}}
  policyTypes: [Ingress]
  ingress:
    - from: [{namespaceSelector: {}}]
      ports: [{port: 5432}]
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: keep-out}
spec:
  tier: Admin
  priority: 10
  subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}
  ingress:
    - name: no-lab
      action: Deny
      from: [{namespaces: {matchLabels: {kubernetes.io/metadata.name: lab}}}]
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: outside}
spec:
  tier: Admin
  priority: 20
  subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}
  egress:
    - action: Accept
      to: [{domainNames: ["*.example.com"]}]
    - action: Deny
      to: [{networks: [203.0.113.0/24]}]
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: stay}
spec:
  tier: Admin
  priority: 30
  subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: db}}}}
  egress:
    - action: Deny
      to: [{namespaces: {matchLabels: {kubernetes.io/metadata.name: lab}}}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: open, namespace: lab}
spec:
  podSelector: {}
  ingress: [{}]
`;

const held = new HeldState({
  title: "a shop",
  revision: "1",
  provenance: "file",
  sources: [{ file: "shop.yaml", text }],
});

const cases = [
  {
    from: "shop/web",
    to: "shop/db",
    port: "5432/TCP",
    reason: "NetworkPolicy shop/db rule 1 allows it when it enters shop/db.",
    selected: "NetworkPolicy shop/db spec.ingress[0]",
  },
  {
    from: "lab/probe",
    to: "shop/db",
    port: "5432/TCP",
    reason: 'ClusterNetworkPolicy keep-out rule 1 "no-lab" denies it when it enters shop/db.',
    selected: "ClusterNetworkPolicy keep-out spec.ingress[0]",
  },
  {
    from: "shop/web",
    to: "shop/db",
    port: "22/TCP",
    reason: "No rule allows it when it enters shop/db, and NetworkPolicy shop/db isolates the pod.",
    selected: "NetworkPolicy shop/db isolation",
  },
  {
    from: "shop/db",
    to: "lab/probe",
    port: "80/TCP",
    reason: "ClusterNetworkPolicy stay rule 1 denies it when it leaves shop/db.",
    selected: "ClusterNetworkPolicy stay spec.egress[0]",
  },
  { from: "shop/db", to: "shop/web", port: "80/TCP", reason: "No policy denies it.", selected: "" },
  {
    from: "shop/web",
    to: "203.0.113.7",
    port: "443/TCP",
    reason: /^It depends on missing information: whether 203\.0\.113\.7 is an address of \*\.example\.com/,
    selected: "ClusterNetworkPolicy outside spec.egress[0]",
  },
];

test.each(cases)("$from → $to :$port", ({ reason, selected, ...request }) => {
  const answer = answerExplain(held, request);
  if (answer.kind === "refused") throw new Error(answer.message);
  const { connections } = answer.explanation;
  expect(connections.map(reasonOf)).toEqual([
    typeof reason === "string" ? reason : expect.stringMatching(reason),
  ]);
  const selection = firstSelection(connections);
  expect(selection === undefined ? "" : `${selection.policy.title} ${selection.path}`).toBe(selected);
});

test.each([
  ["TCP 80, 443, UDP all", "80/TCP"],
  ["UDP all, SCTP all", "80/UDP"],
  ["ICMP", "ICMP"],
  ["everything", "80/TCP"],
])("%s can be seen on %s", (ports, one) => expect(firstPort(ports)).toBe(one));
