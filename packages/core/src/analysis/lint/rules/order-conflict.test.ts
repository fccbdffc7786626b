import { describe, expect, it } from "vitest";
import { findingsOf } from "../../../../testing/linted.js";
import { clusterPolicy, namespace, pod } from "../../../../testing/manifests.js";
import { readState } from "../../../state/state.js";
import { lint } from "../lint.js";
import { orderConflict } from "./order-conflict.js";

const pods = namespace("shop") + pod("shop/cart") + pod("shop/web");

const policy = (name: string, action: string, from = "{namespaces: {}}") =>
  clusterPolicy(name, { priority: "10", ingress: `[{action: ${action}, from: [${from}]}]` });

describe("S1.13: policies of one priority that disagree", () => {
  it("are reported with a connection, and its verdict in each order", () => {
    const [found, ...others] = findingsOf(orderConflict, pods + policy("a", "Accept") + policy("b", "Deny"));
    expect(others).toEqual([]);
    expect(found?.message).toBe(
      "ClusterNetworkPolicy a and ClusterNetworkPolicy b share priority 10 in tier admin and disagree in this cluster: the order of evaluation decides",
    );
    expect(found?.witness).toMatchObject({
      flow: { protocol: "TCP", port: 443 },
      verdict: "Allow",
      text: "ingress is allowed with a first, as it is now, and denied with b first",
    });
  });

  it("are reported once each, with all earlier ones that decide otherwise where they come first", () => {
    const web = "{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}";
    const messages = findingsOf(
      orderConflict,
      pods.replace(
        "name: web, namespace: shop, labels: {}",
        "name: web, namespace: shop, labels: {app: web}",
      ) +
        policy("a", "Accept", web) +
        policy("b", "Accept") +
        policy("c", "Deny"),
    ).map(({ message }) => message);
    expect(messages).toEqual([
      "ClusterNetworkPolicy c shares priority 10 in tier admin with ClusterNetworkPolicy a and ClusterNetworkPolicy b and disagrees with each of them in this cluster: the order of evaluation decides",
    ]);
  });

  it("S1.3: a Pass means what later tiers decide", () => {
    const baseline = clusterPolicy("base", {
      tier: "Baseline",
      priority: "1",
      ingress: "[{action: Deny, from: [{namespaces: {}}]}]",
    });
    const found = (action: string) =>
      findingsOf(orderConflict, pods + policy("a", "Pass") + policy("b", action) + baseline).length;
    expect({ Accept: found("Accept"), Deny: found("Deny") }).toEqual({ Accept: 1, Deny: 0 });
  });

  it("are not reported again by what `tierwall validate` reports", () => {
    const yaml = pods + policy("a", "Accept") + policy("b", "Deny");
    const state = readState([{ file: "test.yaml", text: yaml }]);
    expect(state.diagnostics.map(({ code }) => code)).toContain("TW2003");
    expect(lint(state).findings.map(({ code }) => code)).not.toContain("TW2003");
  });
});
