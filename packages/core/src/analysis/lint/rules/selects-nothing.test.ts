import { describe, expect, it } from "vitest";
import { linted } from "../../../../testing/linted.js";
import { selectsNothing } from "./selects-nothing.js";

const cluster = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: a}}
---
apiVersion: v1
kind: Namespace
metadata: {name: bank, labels: {team: b}}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
---
apiVersion: v1
kind: Pod
metadata: {name: agent, namespace: bank, labels: {app: agent}}
spec: {hostNetwork: true}
`;

const networkPolicy = (namespace: string, podSelector: string) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: ${namespace}}
spec: {podSelector: ${podSelector}, policyTypes: [Ingress]}
`;

const clusterNetworkPolicy = (subject: string) => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: ${subject}
  ingress: [{action: Deny, from: [{namespaces: {}}]}]
`;

describe("a policy that selects no pod", () => {
  it.each([
    [
      "a label that no pod has, with the one that was probably meant",
      networkPolicy("shop", "{matchLabels: {app: crat}}"),
      "[podSelector] NetworkPolicy shop/np selects no pod: no pod in namespace `shop` has app=crat; did you mean `app=cart`?",
    ],
    [
      "a key that no pod has",
      networkPolicy("shop", "{matchLabels: {apps: cart}}"),
      "[podSelector] NetworkPolicy shop/np selects no pod: no pod in namespace `shop` has apps=cart; did you mean the label `app`?",
    ],
    [
      "a namespace that has only pods in the host's network",
      networkPolicy("bank", "{}"),
      "[podSelector] NetworkPolicy bank/np selects no pod: namespace `bank` has no pods",
    ],
    [
      "labels that no namespace has",
      clusterNetworkPolicy("{namespaces: {matchLabels: {team: x}}}"),
      "[subject] ClusterNetworkPolicy guard selects no pod: no namespace has team=x",
    ],
    [
      "several namespaces",
      clusterNetworkPolicy("{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}"),
      "[subject] ClusterNetworkPolicy guard selects no pod: no pod in 2 namespaces has app=web",
    ],
  ])("%s", (_what, policy, expected) => expect(linted(selectsNothing, cluster + policy)).toEqual([expected]));

  it.each([
    ["one that selects a pod", cluster + networkPolicy("shop", "{matchLabels: {app: cart}}")],
    ["policies without a cluster", networkPolicy("shop", "{matchLabels: {app: crat}}")],
    [
      "a Cilium policy of which one rule selects a pod",
      `${cluster}---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: both, namespace: shop}
specs:
  - {endpointSelector: {matchLabels: {app: none}}, ingress: [{}]}
  - {endpointSelector: {matchLabels: {app: cart}}, ingress: [{}]}
`,
    ],
  ])("does not report %s", (_what, yaml) => expect(linted(selectsNothing, yaml)).toEqual([]));
});
