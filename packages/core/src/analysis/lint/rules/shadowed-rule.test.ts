import { describe, expect, it } from "vitest";
import { lintedLines } from "../../../../testing/linted.js";
import { shadowedRule } from "./shadowed-rule.js";

const pods = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: a}}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
---
`;

const guard = (...rules: readonly string[]) => `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  ingress:
${rules.map((rule) => `    - ${rule}\n`).join("")}`;

const from = (action: string, namespaces: string, ports = "") =>
  `{action: ${action}, from: [{namespaces: ${namespaces}}]${ports === "" ? "" : `, protocols: [{tcp: {destinationPort: {number: ${ports}}}}]`}}`;

const pod = (action: string, app: string) =>
  `{action: ${action}, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: ${app}}}}}]}`;

describe("S1.1: a rule behind others that match all that it matches", () => {
  it("is told of with the one that covers it, whatever is deployed: also without any pods", () =>
    expect(
      lintedLines(shadowedRule, guard(from("Deny", "{}"), from("Accept", "{matchLabels: {team: a}}", "80"))),
    ).toEqual([
      "line 11: ClusterNetworkPolicy guard rule 2 never decides anything: ClusterNetworkPolicy guard rule 1 comes before it in tier admin and matches all that it matches, whatever is deployed",
    ]));

  it("is told of with those that take it in this cluster, and only those", () =>
    expect(
      lintedLines(
        shadowedRule,
        `${pods}${guard(pod("Pass", "web"), pod("Deny", "nobody"), pod("Accept", "cart"), from("Deny", "{matchLabels: {team: a}}"))}`,
      ),
    ).toEqual([
      "line 26: ClusterNetworkPolicy guard rule 4 never decides anything: ClusterNetworkPolicy guard rule 1 and ClusterNetworkPolicy guard rule 3 come before it in tier admin and match all that it matches, in this cluster",
    ]));

  it("is not told of while a port is left", () =>
    expect(
      lintedLines(shadowedRule, `${pods}${guard(from("Deny", "{}", "80"), from("Accept", "{}"))}`),
    ).toEqual([]));

  it("is not told of where it speaks of nobody: then it is in nobody's shadow", () =>
    expect(
      lintedLines(
        shadowedRule,
        `${pods}${guard(pod("Accept", "web"), from("Deny", "{matchLabels: {team: b}}"))}`,
      ),
    ).toEqual([]));

  it("S7.1: a Cilium allow behind a deny is one, and NetworkPolicies that repeat each other are not", () => {
    const cilium = `
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: cart, namespace: shop}
spec:
  endpointSelector: {matchLabels: {app: cart}}
  ingress: [{fromEndpoints: [{matchLabels: {app: web}}]}]
  ingressDeny: [{fromEntities: [all]}]
`;
    expect(lintedLines(shadowedRule, `${pods}${cilium}`)).toEqual([
      "line 20: CiliumNetworkPolicy shop/cart rule 1 never decides anything: CiliumNetworkPolicy shop/cart ingressDeny rule 1 comes before it in tier network-policy and matches all that it matches, whatever is deployed",
    ]);
    const twice = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: cart, namespace: shop}
spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}, {from: [{podSelector: {}}]}]}
`;
    expect(lintedLines(shadowedRule, `${pods}${twice}`)).toEqual([]);
  });
});
