import { describe, expect, it } from "vitest";
import { cartAndWeb } from "../../../../testing/cart-and-web.js";
import { findingsOf, lintedLines } from "../../../../testing/linted.js";
import { redundantRule } from "./redundant-rule.js";

const networkPolicy = (name: string, ...rules: readonly string[]) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  podSelector: {}
  policyTypes: [Ingress]
  ingress:
${rules.map((rule) => `    - ${rule}\n`).join("")}`;

const guard = (...rules: readonly string[]) => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  ingress:
${rules.map((rule) => `    - ${rule}\n`).join("")}`;

const web = "{from: [{podSelector: {matchLabels: {app: web}}}]}";
const everyPod = "{from: [{podSelector: {}}]}";
const from = (action: string, app: string) =>
  `{action: ${action}, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: ${app}}}}}]}`;

describe("a redundant rule", () => {
  it("decides something that its tier would decide in the same way, in every cluster", () =>
    expect(lintedLines(redundantRule, `${cartAndWeb}${networkPolicy("np", web, everyPod)}`)).toEqual([
      "line 21: NetworkPolicy shop/np rule 1 is redundant in every cluster: without it, NetworkPolicy shop/np rule 2 decides its traffic in the same way",
    ]));

  it("repeats what others allow, in a tier without an order", () =>
    expect(lintedLines(redundantRule, `${cartAndWeb}${networkPolicy("np", everyPod, web)}`)).toEqual([
      "line 22: NetworkPolicy shop/np rule 2 is redundant in every cluster: NetworkPolicy shop/np rule 1 allows everything that it allows",
    ]));

  it("may be one of two that repeat each other: the hint says to keep one", () => {
    const found = findingsOf(
      redundantRule,
      `${cartAndWeb}${networkPolicy("a", web)}${networkPolicy("b", web)}`,
    );
    expect(found.map(({ place }) => place?.line)).toEqual([21, 30]);
    for (const { hint } of found) expect(hint).toContain("keep one of them");
  });

  it("is reported for this cluster only if namespace owners can make it needed", () => {
    const [found] = findingsOf(
      redundantRule,
      `${cartAndWeb}${guard(from("Deny", "web"))}${networkPolicy("np")}`,
    );
    expect(found?.message).toBe(
      "ClusterNetworkPolicy guard rule 1 is redundant in this cluster: without it, other tiers decide every connection in the same way",
    );
    expect(found?.hint).toContain("guardrail");
    expect(found?.witness).toMatchObject({
      verdict: "Deny",
      text: "this rule denies it; without the rule, it is denied by isolation by NetworkPolicy shop/np",
    });
  });

  it("is not one that changes a verdict", () => {
    expect(lintedLines(redundantRule, `${cartAndWeb}${networkPolicy("np", web)}`)).toEqual([]);
    expect(
      lintedLines(redundantRule, `${cartAndWeb}${guard(from("Accept", "web"))}${networkPolicy("np")}`),
    ).toEqual([]);
  });

  it("S7.7: is not one that removes the condition of another", () => {
    const cilium = (rules: string) => `---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: cart, namespace: shop}
spec:
  endpointSelector: {matchLabels: {app: cart}}
  ingress: ${rules}
`;
    const http =
      "{fromEndpoints: [{matchLabels: {app: web}}], toPorts: [{ports: [{port: '80', protocol: TCP}], rules: {http: [{method: GET}]}}]}";
    const plain =
      "{fromEndpoints: [{matchLabels: {app: web}}], toPorts: [{ports: [{port: '80', protocol: TCP}]}]}";
    expect(lintedLines(redundantRule, `${cartAndWeb}${cilium(`[${http}, ${plain}]`)}`)).toEqual([]);
    expect(lintedLines(redundantRule, `${cartAndWeb}${cilium(`[${plain}, ${plain}]`)}`)).toHaveLength(2);
  });
});
