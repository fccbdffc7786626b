import { describe, expect, it } from "vitest";
import { findingsOf, lintedLines } from "../../../../testing/linted.js";
import { clusterPolicy, namespace, pod } from "../../../../testing/manifests.js";
import { witnessText } from "../../../report/lint/lint-text.js";
import { possibleOrderConflict } from "./possible-order-conflict.js";

const policy = (name: string, action: string, subject: string) =>
  clusterPolicy(name, {
    priority: "10",
    subject,
    ingress: `[{action: ${action}, from: [{namespaces: {}}]}]`,
  });

const blue = "{namespaces: {matchLabels: {team: blue}}}";
const webInProd =
  "{pods: {namespaceSelector: {matchLabels: {stage: prod}}, podSelector: {matchLabels: {app: web}}}}";

describe("S1.13: policies of one priority that could disagree", () => {
  it("are reported with a connection in a cluster of two pods, which the evaluator decides by their order", () => {
    const pods = namespace("shop", "{team: blue}") + pod("shop/cart");
    const [found] = findingsOf(
      possibleOrderConflict,
      pods + policy("a", "Accept", blue) + policy("b", "Deny", webInProd),
    );
    expect(found?.message).toBe(
      "ClusterNetworkPolicy a and ClusterNetworkPolicy b share priority 10 in tier admin and could disagree: no connection of this cluster shows it, but there can be one",
    );
    expect(found?.witness && witnessText(found.witness)).toBe(
      'pod {} in namespace other {} → pod {app: "web"} in namespace another {team: "blue", stage: "prod"} on 80/TCP: ingress is allowed with a first, as it is now, and denied with b first',
    );
  });

  it("S1.1: is silent if an earlier policy decides everything that both match", () => {
    const first = clusterPolicy("first", {
      priority: "1",
      ingress: "[{action: Deny, from: [{namespaces: {}}]}]",
    });
    const both = policy("a", "Accept", blue) + policy("b", "Deny", webInProd);
    expect(lintedLines(possibleOrderConflict, first + both)).toEqual([]);
    expect(lintedLines(possibleOrderConflict, both)).toHaveLength(1);
  });

  it("S1.3, S11.2: a Pass and an Allow disagree once a namespace owner isolates a pod", () => {
    const [found] = findingsOf(
      possibleOrderConflict,
      policy("a", "Pass", blue) + policy("b", "Accept", webInProd),
    );
    expect(found?.witness).toMatchObject({
      kind: "cluster",
      text: "ingress is denied with a first, as it is now, and allowed with b first",
    });
  });

  it("is silent if no pod can be selected by both", () => {
    const red = "{namespaces: {matchLabels: {team: red}}}";
    expect(
      lintedLines(possibleOrderConflict, policy("a", "Accept", blue) + policy("b", "Deny", red)),
    ).toEqual([]);
  });

  it("S1.1: is silent about a rule that an earlier rule of its own policy covers", () => {
    const [all, web] = [
      "{namespaces: {}}",
      "{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}",
    ];
    const pair = (rules: string) =>
      clusterPolicy("a", { ingress: `[${rules}]` }) +
      clusterPolicy("b", { ingress: `[{action: Deny, from: [${web}]}]` });
    const deny = `{action: Deny, from: [${all}]}`;
    const accept = `{action: Accept, from: [${web}]}`;
    expect(lintedLines(possibleOrderConflict, pair(`${deny}, ${accept}`))).toEqual([]);
    expect(lintedLines(possibleOrderConflict, pair(`${accept}, ${deny}`))).toHaveLength(1);
  });
});
