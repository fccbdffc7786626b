import { describe, expect, it } from "vitest";
import { readState } from "@tierwall/core/state";
import { completionsAt } from "./completions.js";
import { clusterWords } from "./cluster-words.js";
import { hoverAt } from "./hover.js";

const cluster = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {tenant: retail}}
---
apiVersion: v1
kind: Namespace
metadata: {name: payments, labels: {tenant: finance, pci: "true"}}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart, tier: front}}
spec: {containers: [{name: cart, ports: [{name: http, containerPort: 8080}]}]}
`;
const words = clusterWords(readState([{ file: "cluster.yaml", text: cluster }]).cluster);

/** The cursor is at `|`; labels only. */
function offered(marked: string): readonly string[] {
  const found = completionsAt(marked.replace("|", ""), marked.indexOf("|"), words);
  return found?.options.map(({ label }) => label) ?? [];
}

const head = "apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy\n";
const networkPolicy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n";
const rule = `${head}spec:\n  ingress:\n  - name: a\n`;

describe("what is offered at a place", () => {
  it.each([
    ["nothing is there yet", "|", ["apiVersion", "kind"]],
    ["an apiVersion of a kind", "kind: NetworkPolicy\napiVersion: |", ["networking.k8s.io/v1"]],
    [
      "kinds of an apiVersion",
      "apiVersion: cilium.io/v2\nkind: |",
      ["CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"],
    ],
    ["fields of the object", `${networkPolicy}|`, ["metadata", "spec"]],
    [
      "fields that are not there yet",
      `${networkPolicy}spec:\n  podSelector: {}\n  |`,
      ["policyTypes", "ingress", "egress"],
    ],
    ["fields of an item", `${rule}    |`, ["action", "from", "protocols"]],
    ["one of several exclusive fields", `${rule}    from:\n    - namespaces: {}\n      |`, []],
    ["values of a field", `${head}spec:\n  tier: |`, ["Admin", "Baseline"]],
    ["values in a list", `${networkPolicy}spec:\n  policyTypes:\n  - |`, ["Ingress", "Egress"]],
    ["values in brackets", `${networkPolicy}spec: {policyTypes: [Ingress, |]}`, ["Ingress", "Egress"]],
    ["namespaces of the cluster", `${networkPolicy}metadata: {namespace: |}`, ["payments", "shop"]],
    [
      "label keys of namespaces",
      `${head}spec:\n  subject:\n    namespaces:\n      matchLabels:\n        |`,
      ["tenant", "kubernetes.io/metadata.name", "pci"],
    ],
    ["label keys of pods", `${networkPolicy}spec: {podSelector: {matchLabels: {|`, ["app", "tier"]],
    [
      "label values",
      `${head}spec: {subject: {namespaces: {matchLabels: {tenant: |}}}}`,
      ["finance", "retail"],
    ],
    [
      "the key of a condition",
      `${networkPolicy}spec:\n  podSelector:\n    matchExpressions:\n    - key: |`,
      ["app", "tier"],
    ],
    [
      "the values of a condition",
      `${networkPolicy}spec:\n  podSelector:\n    matchExpressions:\n    - key: tier\n      operator: In\n      values: [|]`,
      ["front"],
    ],
    ["names of ports", `${networkPolicy}spec: {ingress: [{ports: [{port: |}]}]}`, ["http"]],
    ["nothing where anything can be written", `${networkPolicy}metadata:\n  name: |`, []],
    ["nothing in comments", `${networkPolicy}# |`, []],
  ])("%s", (_, marked, expected) => {
    const found = offered(marked);
    expect(found.filter((label) => expected.includes(label) || expected.length === 0)).toEqual(expected);
  });

  it("a field that holds others is opened, at the right indentation", () => {
    const text = `${head}spec:\n  ing`;
    const { options, from, to } = completionsAt(text, text.length, words)!;
    expect(text.slice(from, to)).toBe("ing");
    const applied = Object.fromEntries(options.map(({ label, apply }) => [label, apply]));
    expect(applied).toMatchObject({ ingress: "ingress:\n  - ", subject: "subject:\n    ", tier: "tier: " });
  });

  it("values that YAML would read otherwise are quoted", () => {
    const marked = `${head}spec: {subject: {namespaces: {matchLabels: {pci: |}}}}`;
    const { options } = completionsAt(marked.replace("|", ""), marked.indexOf("|"), words)!;
    expect(options).toMatchObject([{ label: "true", apply: '"true"' }]);
  });

  it("each AdminNetworkPolicy has its own fields: S4.4", () => {
    const anp = "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\n";
    const peer = "  ingress:\n  - from:\n    - |";
    expect(offered(`${anp}spec:\n  subject: {namespaces: {}}\n${peer}`)).toContain("pods");
    expect(offered(`${anp}spec:\n  subject: {namespaceSelector: {}}\n${peer}`)).toContain("namespacedPods");
  });
});

describe("what a word means", () => {
  const text = `${rule}    action: Deny\n    from:\n    - namespaces: {}\n`;
  it.each([
    ["action", "spec.ingress[].action: Accept | Deny | Pass"],
    ["Deny", "spec.ingress[].action: Accept | Deny | Pass"],
    ["ingress", "spec.ingress: list"],
    ["namespaces", "spec.ingress[].from[].namespaces: object"],
  ])("%s", (word, title) => {
    const offset = text.indexOf(word) + 1;
    const hover = hoverAt(text, offset)!;
    expect(hover.title).toBe(title);
    expect(text.slice(hover.from, hover.to)).toBe(word);
    expect(hover.text).not.toBe("");
  });

  it("is not shown where there is no word, or no field", () => {
    expect(hoverAt(text, text.indexOf("    action"))).toBeUndefined();
    expect(hoverAt("hello: world", 2)).toBeUndefined();
  });
});
