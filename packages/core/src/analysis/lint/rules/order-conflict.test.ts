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
  it("are told of with a connection, and what either order makes of it", () => {
    const [found, ...others] = findingsOf(orderConflict, pods + policy("a", "Accept") + policy("b", "Deny"));
    expect(others).toEqual([]);
    expect(found?.message).toBe(
      "ClusterNetworkPolicy a and ClusterNetworkPolicy b share priority 10 of tier admin and disagree: which of them comes first decides",
    );
    expect(found?.witness).toMatchObject({
      flow: { protocol: "TCP", port: 443 },
      verdict: "Allow",
      text: "ingress is allowed with a first, as here, and denied with b first",
    });
  });

  it("are told of once each, with all before it that want something else where they come first", () => {
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
      "ClusterNetworkPolicy c shares priority 10 of tier admin with ClusterNetworkPolicy a and ClusterNetworkPolicy b and disagrees with each: which of them comes first decides",
    ]);
  });

  it("S1.3: passing is to want what comes behind", () => {
    const baseline = clusterPolicy("base", {
      tier: "Baseline",
      priority: "1",
      ingress: "[{action: Deny, from: [{namespaces: {}}]}]",
    });
    const found = (action: string) =>
      findingsOf(orderConflict, pods + policy("a", "Pass") + policy("b", action) + baseline).length;
    expect({ Accept: found("Accept"), Deny: found("Deny") }).toEqual({ Accept: 1, Deny: 0 });
  });

  it("are not told of again by what `tierwall validate` says", () => {
    const yaml = pods + policy("a", "Accept") + policy("b", "Deny");
    const state = readState([{ file: "test.yaml", text: yaml }]);
    expect(state.diagnostics.map(({ code }) => code)).toContain("TW2003");
    expect(lint(state).findings.map(({ code }) => code)).not.toContain("TW2003");
  });
});
