import { describe, expect, it } from "vitest";
import { findingsOf, lintedLines } from "../../../testing/linted.js";
import { overriddenPolicy } from "./overridden-policy.js";

const pods = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
`;

const guard = (name: string, action: string, port: number) => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec:
  tier: Admin
  priority: ${port % 1000}
  subject: {namespaces: {}}
  ingress: [{action: ${action}, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: ${port}}}}]}]
`;

const networkPolicy = (rule: string) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: shop}
spec: {podSelector: {matchLabels: {app: cart}}, policyTypes: [Ingress], ingress: [${rule}]}
`;

const web = "{from: [{podSelector: {matchLabels: {app: web}}}]}";

describe("a NetworkPolicy that is overridden", () => {
  it("is told of with who decides otherwise, how much, and a connection", () => {
    const [found, ...others] = findingsOf(
      overriddenPolicy,
      `${pods}${guard("no-ssh", "Deny", 22)}${guard("no-telnet", "Deny", 23)}${networkPolicy(web)}`,
    );
    expect(others).toEqual([]);
    expect(found?.message).toBe(
      "NetworkPolicy shop/np allows ingress that ClusterNetworkPolicy no-ssh rule 1 and ClusterNetworkPolicy no-telnet rule 1 deny before it is asked: 1 pair of ends",
    );
    expect(found?.witness).toMatchObject({ flow: { protocol: "TCP", port: 22 }, verdict: "Deny" });
  });

  it("is not, where the tiers before allow what it allows, or pass it", () => {
    expect(
      lintedLines(overriddenPolicy, `${pods}${guard("ssh", "Accept", 22)}${networkPolicy(web)}`),
    ).toEqual([]);
    expect(lintedLines(overriddenPolicy, `${pods}${guard("ssh", "Pass", 22)}${networkPolicy(web)}`)).toEqual(
      [],
    );
  });
});
