import { describe, expect, it } from "vitest";
import { parseCidr } from "../../../net/cidr.js";
import { findingsOf, messagesOf } from "../../../../testing/linted.js";
import { clusterPolicy, namespace, networkPolicy, pod } from "../../../../testing/manifests.js";
import { networksCatchPods } from "./networks-catch-pods.js";

const cluster =
  namespace("shop") + pod("shop/cart", { ips: ["10.0.0.1"] }) + pod("shop/api", { ips: ["10.0.0.2"] });
const rule = (action: string, networks: string) => `{action: ${action}, to: [{networks: [${networks}]}]}`;
const passPods = "{action: Pass, to: [{namespaces: {}}]}";
const policy = (...rules: readonly string[]) => clusterPolicy("guard", { egress: `[${rules.join(", ")}]` });
const messages = (yaml: string) => messagesOf(networksCatchPods, yaml);

describe("networks that hold pods", () => {
  it.each([
    [
      "denied",
      "Deny",
      "0.0.0.0/0",
      "this denies traffic between pods as well: their addresses are in these networks",
    ],
    [
      "denied with a narrow network",
      "Deny",
      "10.0.0.0/30",
      "this denies traffic between pods as well: their addresses are in these networks",
    ],
    [
      "allowed",
      "Accept",
      "10.0.0.0/8",
      "this allows traffic between pods as well: their addresses are in these networks",
    ],
  ])("are reported where they are %s", (_what, action, networks, expected) =>
    expect(messages(cluster + policy(rule(action, networks)))).toEqual([expected]),
  );

  it("with two pods that show it", () => {
    const [found] = findingsOf(networksCatchPods, cluster + policy(rule("Deny", "0.0.0.0/0")));
    expect(found?.witness).toMatchObject({
      verdict: "Deny",
      flow: { source: { pod: { name: "cart" } }, destination: { pod: { name: "api" } } },
    });
  });

  it("does not report the range of pods itself, which is another finding", () => {
    const facts = { podCidrs: [parseCidr("10.0.0.0/16")!] };
    const yaml = cluster + policy(rule("Deny", "10.0.0.0/24"));
    expect(messagesOf(networksCatchPods, yaml, { facts })).toEqual([]);
  });

  it("S1.14: also of pods that have no address yet", () => {
    const starting = namespace("shop") + pod("shop/cart") + pod("shop/api");
    expect(messages(starting + policy(rule("Deny", "0.0.0.0/0")))).toHaveLength(1);
  });

  it.each([
    ["pods that an earlier rule is about", cluster + policy(passPods, rule("Deny", "0.0.0.0/0"))],
    ["networks without pods", cluster + policy(rule("Deny", "203.0.113.0/24"))],
    ["a rule that passes", cluster + policy(rule("Pass", "0.0.0.0/0"))],
    [
      "a single pod, which has no peers",
      namespace("shop") + pod("shop/cart", { ips: ["10.0.0.1"] }) + policy(rule("Deny", "0.0.0.0/0")),
    ],
    [
      "a rule that has been overtaken",
      cluster + policy(rule("Pass", "10.0.0.0/8"), rule("Deny", "0.0.0.0/0")),
    ],
    [
      "a NetworkPolicy, which only allows",
      cluster +
        networkPolicy("shop/np", {
          policyTypes: "[Egress]",
          egress: "[{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]",
        }),
    ],
  ])("does not report %s", (_what, yaml) => expect(messages(yaml)).toEqual([]));

  it("and says to allow pods in a BaselineAdminNetworkPolicy, which cannot pass", () => {
    const baseline = `${cluster}---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: BaselineAdminNetworkPolicy
metadata: {name: default}
spec: {subject: {namespaces: {}}, egress: [${rule("Deny", "0.0.0.0/0")}]}
`;
    expect(findingsOf(networksCatchPods, baseline).map(({ hint }) => hint)).toEqual([
      expect.stringContaining("`action: Allow`"),
    ]);
  });
});
