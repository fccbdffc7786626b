import { describe, expect, it } from "vitest";
import { cartAndWeb } from "../../../../testing/cart-and-web.js";
import { lintedLines } from "../../../../testing/linted.js";
import { unreachedRule } from "./unreached-rule.js";

const cluster = (tier: "Admin" | "Baseline", action: string, from: string) => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${tier.toLowerCase()}}
spec:
  tier: ${tier}
  priority: 1
  subject: {namespaces: {}}
  ingress: [{action: ${action}, from: [${from}]}]
`;

const networkPolicy = (ingress: string) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: shop}
spec: {podSelector: {}, policyTypes: [Ingress], ingress: ${ingress}}
`;

const everyPod = "{namespaces: {}}";
const web = "{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}";
const fromWeb = "[{from: [{podSelector: {matchLabels: {app: web}}}]}]";

const admin = (name: string, priority: number, rule: string) => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec:
  tier: Admin
  priority: ${priority}
  subject: {namespaces: {}}
  ingress: [${rule}]
`;

/** Nothing of what the Baseline denies is deployed: only a claim about every cluster can be made. */
const passedBeforeAccepted = (app: string) => {
  const from = (name: string) =>
    `{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: ${name}, kind: batch}}}}`;
  return (
    admin("a-pass", 1, `{action: Pass, from: [${from(app)}]}`) +
    admin("b-accept", 2, `{action: Accept, from: [${everyPod}]}`) +
    cluster("Baseline", "Deny", from("web"))
  );
};

describe("S1.1: a rule whose traffic is decided in earlier tiers", () => {
  it("is reported with a rule that decides in every cluster", () =>
    expect(
      lintedLines(
        unreachedRule,
        `${cartAndWeb}${cluster("Admin", "Deny", everyPod)}${networkPolicy(fromWeb)}`,
      ),
    ).toEqual([
      "line 26: NetworkPolicy shop/np rule 1 in tier network-policy is never reached in any cluster: ClusterNetworkPolicy admin rule 1 already decides everything that it matches",
    ]));

  it("S1.2: is reported if isolation decides in this cluster", () =>
    expect(
      lintedLines(unreachedRule, `${cartAndWeb}${networkPolicy("[]")}${cluster("Baseline", "Accept", web)}`),
    ).toEqual([
      "line 26: ClusterNetworkPolicy baseline rule 1 in tier baseline is never reached in this cluster: isolation by NetworkPolicy shop/np already decides everything that it matches",
    ]));

  it("S1.3: is not reported if they pass it", () =>
    expect(
      lintedLines(
        unreachedRule,
        `${cartAndWeb}${cluster("Admin", "Pass", everyPod)}${networkPolicy(fromWeb)}`,
      ),
    ).toEqual([]));

  it("S1.3: is not reported as unreached in every cluster where a Pass before the covering rule may take it", () =>
    expect(lintedLines(unreachedRule, `${cartAndWeb}${passedBeforeAccepted("web")}`)).toEqual([]));

  it("S1.3: is still reported where the Pass before the covering rule can never match it", () =>
    expect(lintedLines(unreachedRule, `${cartAndWeb}${passedBeforeAccepted("queue")}`)).toEqual([
      "line 39: ClusterNetworkPolicy baseline rule 1 in tier baseline is never reached in any cluster: ClusterNetworkPolicy b-accept rule 1 already decides everything that it matches",
    ]));

  it("is not reported if only some of it is decided", () =>
    expect(
      lintedLines(
        unreachedRule,
        `${cartAndWeb}${cluster("Admin", "Deny", web)}${networkPolicy("[{from: [{podSelector: {}}]}]")}`,
      ),
    ).toEqual([]));
});
