import { describe, expect, it } from "vitest";
import { linted } from "../../../../testing/linted.js";
import { clusterPolicy } from "../../../../testing/manifests.js";
import { guardrailOnNamespaceLabels } from "./guardrail-on-namespace-labels.js";

const policy = (labels: string, spec: Readonly<Record<string, string>> = {}) =>
  clusterPolicy("guard", {
    subject: `{namespaces: {matchLabels: ${labels}}}`,
    ingress: "[{action: Deny, from: [{namespaces: {}}]}, {action: Deny, from: [{namespaces: {}}]}]",
    ...spec,
  });

describe("a guardrail on labels of namespaces", () => {
  it("is reported once for a policy, with the labels", () =>
    expect(linted(guardrailOnNamespaceLabels, policy("{team: a, env: prod}"))).toEqual([
      "[subject] anyone who can edit the namespace label `team`, `env` can evade this Deny rule",
    ]));

  it.each([
    ["the name of a namespace", policy("{kubernetes.io/metadata.name: shop}")],
    ["every namespace", policy("{}")],
    ["the baseline", policy("{team: a}", { tier: "Baseline" })],
    ["what is allowed", policy("{team: a}", { ingress: "[{action: Accept, from: [{namespaces: {}}]}]" })],
  ])("does not report %s", (_what, yaml) => expect(linted(guardrailOnNamespaceLabels, yaml)).toEqual([]));
});
