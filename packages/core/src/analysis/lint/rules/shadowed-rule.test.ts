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

describe("S1.1: a rule after others that match everything that it matches", () => {
  it("is reported with the rule that shadows it in every cluster, also without any pods", () =>
    expect(
      lintedLines(shadowedRule, guard(from("Deny", "{}"), from("Accept", "{matchLabels: {team: a}}", "80"))),
    ).toEqual([
      "line 11: ClusterNetworkPolicy guard rule 2 is shadowed in every cluster: ClusterNetworkPolicy guard rule 1 comes before it in tier admin and matches everything that it matches",
    ]));

  it("is reported with the rules that shadow it in this cluster, and only those", () =>
    expect(
      lintedLines(
        shadowedRule,
        `${pods}${guard(pod("Pass", "web"), pod("Deny", "absent"), pod("Accept", "cart"), from("Deny", "{matchLabels: {team: a}}"))}`,
      ),
    ).toEqual([
      "line 26: ClusterNetworkPolicy guard rule 4 is shadowed in this cluster: ClusterNetworkPolicy guard rule 1 and ClusterNetworkPolicy guard rule 3 come before it in tier admin and match everything that it matches",
    ]));

  it("is reported with all rules that together shadow it in every cluster", () =>
    expect(
      lintedLines(
        shadowedRule,
        guard(
          from("Deny", "{matchExpressions: [{key: team, operator: Exists}]}"),
          pod("Accept", "web"),
          from("Deny", "{matchExpressions: [{key: team, operator: DoesNotExist}]}"),
          from("Accept", "{}", "80"),
        ),
      ),
    ).toEqual([
      "line 13: ClusterNetworkPolicy guard rule 4 is shadowed in every cluster: ClusterNetworkPolicy guard rule 1 and ClusterNetworkPolicy guard rule 3 come before it in tier admin and match everything that it matches",
    ]));

  it("is not reported while a port is left", () =>
    expect(
      lintedLines(shadowedRule, `${pods}${guard(from("Deny", "{}", "80"), from("Accept", "{}"))}`),
    ).toEqual([]));

  it("is not reported if it matches no pods: then no rule shadows it", () =>
    expect(
      lintedLines(
        shadowedRule,
        `${pods}${guard(pod("Accept", "web"), from("Deny", "{matchLabels: {team: b}}"))}`,
      ),
    ).toEqual([]));

  it("S7.1: a Cilium allow after a deny is one, and NetworkPolicies that repeat each other are not", () => {
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
      "line 20: CiliumNetworkPolicy shop/cart rule 1 is shadowed in every cluster: CiliumNetworkPolicy shop/cart ingressDeny rule 1 comes before it in tier network-policy and matches everything that it matches",
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
