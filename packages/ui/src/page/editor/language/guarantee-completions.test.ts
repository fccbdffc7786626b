import { guaranteeKind, guaranteeSchema } from "@tierwall/core/prove";
import { describe, expect, it } from "vitest";
import { completionsAt } from "./completions.js";
import { hoverAt } from "./hover.js";
import { guaranteeKinds } from "./kinds.js";

const kinds = guaranteeKinds(guaranteeKind, guaranteeSchema);
const words = {
  namespaces: ["payments", "shop"],
  labels: {
    namespaces: new Map([["pci", ["true"]]]),
    pods: new Map([["app", ["web"]]]),
    nodes: new Map([["role", ["control-plane"]]]),
  },
  portNames: [],
};
/** The cursor is at `|`; labels only. */
const offered = (marked: string): readonly string[] =>
  completionsAt(marked.replace("|", ""), marked.indexOf("|"), words, kinds)?.options.map(
    ({ label }) => label,
  ) ?? [];
const head = "apiVersion: tierwall.dev/v1\nkind: Guarantee\nspec:\n";

describe("completion in a guarantee", () => {
  it.each([
    ["its kind", "apiVersion: tierwall.dev/v1\nkind: |", ["Guarantee"]],
    ["its apiVersion", "kind: Guarantee\napiVersion: |", ["tierwall.dev/v1"]],
    ["verdicts", `${head}  verdict: |`, ["Allow", "Deny"]],
    ["modes of owners", `${head}  whatever:\n    networkPolicies: |`, ["anything", "more", "as-written"]],
    ["label keys of namespaces", `${head}  from: {namespaces: {matchLabels: {|`, ["pci"]],
    ["label keys of pods", `${head}  to: {pods: {podSelector: {matchLabels: {|`, ["app"]],
    ["label keys of nodes", `${head}  to:\n    nodes:\n      matchLabels:\n        |`, ["role"]],
    ["label keys of sameLabels", `${head}  from: {namespaces: {sameLabels: [|]}}`, ["pci"]],
    ["names of namespaces", `${head}  assuming:\n  - only: [|]`, ["payments", "shop"]],
    ["label keys of assumptions", `${head}  assuming: [{namespacesWith: {matchLabels: {|`, ["pci"]],
  ])("offers %s", (_, marked, expected) => expect(offered(marked)).toEqual(expected));

  it.each([
    ["as one endpoint", `${head}  from:\n    |`],
    ["in a list", `${head}  from:\n  - |`],
    ["in brackets", `${head}  from: [{|`],
  ])("offers the kinds of endpoints %s", (_, marked) =>
    expect(offered(marked)).toEqual([
      "namespaces",
      "pods",
      "networks",
      "nodes",
      "external",
      "hostNetworkPods",
    ]),
  );

  it("explains what a field means", () => {
    const text = `${head}  from: {namespaces: {}}\n  verdict: Deny\n`;
    expect(hoverAt(text, text.indexOf("verdict") + 1, kinds)?.title).toBe("spec.verdict: Allow | Deny");
  });
});
