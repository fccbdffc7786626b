import { describe, expect, it } from "vitest";
import { findingsOf, lintedLines } from "../../../testing/linted.js";
import { openedIsolation } from "./opened-isolation.js";

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

describe("isolation that a higher tier opens", () => {
  it("is told of with who allows, how much, and a connection", () => {
    const [found, ...others] = findingsOf(
      openedIsolation,
      `${pods}${guard("scrape", "Accept", 9090)}${networkPolicy("")}`,
    );
    expect(others).toEqual([]);
    expect(found?.message).toBe(
      "NetworkPolicy shop/np isolates its pods for ingress, and ClusterNetworkPolicy scrape rule 1 allows some of it all the same: 1 pair of ends",
    );
    expect(found?.witness).toMatchObject({ flow: { protocol: "TCP", port: 9090 }, verdict: "Allow" });
  });

  it("is not, where the policy allows it itself", () =>
    expect(
      lintedLines(openedIsolation, `${pods}${guard("scrape", "Accept", 9090)}${networkPolicy(web)}`),
    ).toEqual([]));
});
