import { describe, expect, it } from "vitest";
import { convert } from "../analysis/convert/convert.js";
import { world } from "../../testing/world.js";
import { conversionJson, conversionText } from "./conversion.js";
import { noStyle } from "./style.js";
import { pod } from "../../testing/manifests.js";

const cluster = `${pod("shop/web", { ips: ["10.0.0.1"] })}${pod("shop/db", { ips: ["10.0.0.2"] })}---\n`;
const kind = (action: string, peers: string) => `apiVersion: netpol.networking.k8s.io/v1alpha1
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec: {appliedTo: {namespaceSelector: {}}, egress: [{action: ${action}, ports: [{port: 80}]${peers}}]}
`;
const summary = (yaml: string) => {
  const conversion = convert(world(yaml).state, { to: "cluster-network-policy" });
  return { text: conversionText(conversion, noStyle), json: conversionJson(conversion) };
};

describe("what is said about a conversion", () => {
  it("proven: how much was compared, and what was replaced", () => {
    const { text, json } = summary(`${cluster}${kind("Deny", "")}`);
    expect(text).toBe(
      "✓ proven: 1 policy became 1, and every verdict about the 2 pods is the same: among them, with nodes, and with external addresses\n" +
        "  replaced: ClusterNetworkPolicy guard\n" +
        "  ✓ the policies are the same in every cluster, also in those that do not exist yet",
    );
    expect(json).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "Conversion",
      to: "cluster-network-policy",
      proven: true,
      pods: 2,
      changedPairs: 0,
      everywhere: { result: "Same" },
      replaced: [
        { group: "netpol.networking.k8s.io", kind: "ClusterNetworkPolicy", name: "guard", line: 14 },
      ],
      policies: [{ apiVersion: "policy.networking.k8s.io/v1alpha2", kind: "ClusterNetworkPolicy" }],
      differences: [],
    });
  });

  it("not proven: which verdicts differ, and who decides", () => {
    const ingress = kind("Deny", "").replace("egress", "ingress");
    const { text, json } = summary(`${cluster}${ingress}`);
    expect(text.split("\n").map((line) => line.trim())).toEqual([
      "✗ not proven: 1 policy became 1, but 2 pairs would get a different verdict on 80/TCP",
      "· ClusterNetworkPolicy guard rule 1: matches every source; the API can match",
      "only pods, not nodes and external addresses",
      "",
      "0.0.0.0 → shop/web 80/TCP: Deny → Allow (and 1 pair like it)",
      "before: ClusterNetworkPolicy guard rule 1 · test.yaml:17",
      "after:  default",
    ]);
    expect(json).toMatchObject({
      proven: false,
      changedPairs: 2,
      differences: [
        {
          from: { kind: "external", address: "0.0.0.0" },
          to: { kind: "pod", namespace: "shop", name: "web" },
          ports: [{ protocol: "TCP", ports: "80" }],
          before: "Deny",
          after: "Allow",
          pairs: 2,
        },
      ],
    });
  });

  it("without pods: that nothing is proven", () => {
    expect(summary(kind("Deny", "")).text).toContain(
      "? NOT PROVEN: 1 policy became 1, but the input has no pods",
    );
    expect(summary(kind("Deny", "")).json.proven).toBe(false);
  });

  it("S11.6: proven in this cluster only: the cluster in which it is not", () => {
    // The new policies name the tenants that there are.
    const tenants = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: tenants}
spec:
  priority: 10
  subject: {namespaceSelector: {}}
  ingress: [{action: Deny, from: [{namespaces: {notSameLabels: [tenant]}}], l4Selector: {ports: [{port: 80}]}}]
`;
    const { text, json } = summary(`${cluster}${tenants}`);
    expect(text).toContain("✓ proven: 1 policy became");
    expect(text).toMatch(
      / {2}! proven for the input cluster only, not for every cluster\n {4}They differ in this cluster:\n {6}pod \{\} in namespace /,
    );
    expect(json).toMatchObject({ proven: true, everywhere: { result: "Different" } });
  });

  it("nothing to convert", () => {
    expect(summary(cluster).text).toContain(
      "there is nothing to convert: the input has no cluster-wide policies",
    );
  });
});
