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

describe("a rule without which nothing would change", () => {
  it("decides something that its tier would say as well", () =>
    expect(lintedLines(redundantRule, `${cartAndWeb}${networkPolicy("np", web, everyPod)}`)).toEqual([
      "line 21: NetworkPolicy shop/np rule 1 changes nothing: without it, its tier says the same of every connection in this cluster",
    ]));

  it("repeats what others of a tier without an order say", () =>
    expect(lintedLines(redundantRule, `${cartAndWeb}${networkPolicy("np", everyPod, web)}`)).toEqual([
      "line 22: NetworkPolicy shop/np rule 2 changes nothing: NetworkPolicy shop/np rule 1 allows all of it as well, whatever is deployed",
    ]));

  it("may be one of two: each can go by itself, and the hint says that not both can", () => {
    const found = findingsOf(
      redundantRule,
      `${cartAndWeb}${networkPolicy("a", web)}${networkPolicy("b", web)}`,
    );
    expect(found.map(({ place }) => place?.line)).toEqual([21, 30]);
    for (const { hint } of found) expect(hint).toContain("one of them has to stay");
  });

  it("is told apart where it holds whatever namespaces do", () => {
    const [found] = findingsOf(
      redundantRule,
      `${cartAndWeb}${guard(from("Deny", "web"))}${networkPolicy("np")}`,
    );
    expect(found?.message).toBe(
      "ClusterNetworkPolicy guard rule 1 changes nothing today: without it, other tiers say the same of every connection in this cluster",
    );
    expect(found?.hint).toContain("guardrail");
    expect(found?.witness).toMatchObject({
      verdict: "Deny",
      text: "this rule denies it; without it, it is denied by isolation by NetworkPolicy shop/np",
    });
  });

  it("is not one that somebody would miss", () => {
    expect(lintedLines(redundantRule, `${cartAndWeb}${networkPolicy("np", web)}`)).toEqual([]);
    expect(
      lintedLines(redundantRule, `${cartAndWeb}${guard(from("Accept", "web"))}${networkPolicy("np")}`),
    ).toEqual([]);
  });

  it("S7.7: is not one that lifts the condition of another", () => {
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
