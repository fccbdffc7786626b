import { describe, expect, it } from "vitest";
import { readState } from "./state.js";

const pod = (name: string, namespace: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: ${namespace}}}`;
const node = (name: string) => `{apiVersion: v1, kind: Node, metadata: {name: ${name}}}`;
const policy = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a, namespace: x}, spec: {podSelector: {}}}`;

/** The diagnostics about objects that cannot both be in a cluster. */
function duplicatesIn(...documents: readonly string[]): readonly string[] {
  const { diagnostics } = readState([{ file: "all.yaml", text: documents.join("\n---\n") }]);
  return diagnostics.filter(({ code }) => code === "TW1102").map(({ message }) => message);
}

describe("S10.4: two objects of one name", () => {
  it.each<[string, readonly string[], readonly RegExp[]]>([
    ["are a mistake", [pod("a", "x"), pod("a", "x")], [/Pod x\/a; the other is at all\.yaml:1$/]],
    [
      "are one behind others, too",
      [pod("a", "x"), pod("a", "y"), node("a"), pod("b", "x"), pod("a", "x")],
      [/Pod x\/a; the other is at all\.yaml:1$/],
    ],
    ["are reported with the first, each time", [node("a"), node("a"), node("a")], [/yaml:1$/, /yaml:1$/]],
    ["are none in two namespaces", [pod("a", "x"), pod("a", "y")], []],
    ["are none of two kinds", [node("a"), pod("a", "x")], []],
    [
      "are one in `default` by name and by silence",
      [pod("a", "default"), pod("a", "null")],
      [/Pod default\/a/],
    ],
    ["are one among objects of other kinds", [policy, pod("a", "x"), policy], [/NetworkPolicy x\/a/]],
  ])("%s", (_what, documents, expected) => {
    const found = duplicatesIn(...documents);
    expect(found).toHaveLength(expected.length);
    for (const [i, message] of expected.entries()) expect(found[i]).toMatch(message);
  });
});
