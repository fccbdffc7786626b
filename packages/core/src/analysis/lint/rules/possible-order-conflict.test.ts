import { describe, expect, it } from "vitest";
import { findingsOf, lintedLines } from "../../../../testing/linted.js";
import { clusterPolicy, namespace, pod } from "../../../../testing/manifests.js";
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
  it("are told of with the labels that would make them", () => {
    const pods = namespace("shop", "{team: blue}") + pod("shop/cart");
    const [found] = lintedLines(
      possibleOrderConflict,
      pods + policy("a", "Accept", blue) + policy("b", "Deny", webInProd),
    );
    expect(found).toContain(
      "no pod is selected by both today; a pod with app=web in a namespace with team=blue, stage=prod would be",
    );
  });

  it("are told of with the pods that both select, where nobody is there to talk to them", () => {
    const pods =
      namespace("shop", "{team: blue, stage: prod}") +
      pod("shop/web", { labels: "{app: web}", ips: ["10.0.0.1"] });
    const first = clusterPolicy("first", {
      priority: "1",
      ingress: "[{action: Deny, from: [{namespaces: {}}]}]",
    });
    const [found] = findingsOf(
      possibleOrderConflict,
      pods + first + policy("a", "Accept", blue) + policy("b", "Deny", webInProd),
    );
    expect(found?.message).toContain("no connection of the pods that both select shows it today");
    expect(found?.witness).toMatchObject({ kind: "pods", count: 1 });
  });

  it("is silent where no labels could make them meet", () => {
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
