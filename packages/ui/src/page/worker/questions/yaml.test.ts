import { expect, test } from "vitest";
import { HeldState } from "../held-state.js";
import { answerYaml, type YamlView } from "./yaml.js";

const policy = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "db", namespace: "shop" },
  spec: {
    podSelector: {},
    policyTypes: ["Ingress"],
    ingress: [{ ports: [{ port: 1 }] }, { ports: [{ port: 2 }] }],
  },
};

const yaml = `kind: Namespace
apiVersion: v1
metadata: {name: shop}
---
# Only the shop.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: db, namespace: shop}
spec:
  podSelector: {}
  policyTypes:
  - Ingress
  ingress:
    - ports:
        - port: 1
    - ports:
        - port: 2
`;

const viewOf = (text: string, path?: string): YamlView => {
  const sources = [{ file: "db.yaml", text }];
  const held = new HeldState({ title: "", revision: "", provenance: "file", sources });
  return answerYaml(held, {
    policy: "NetworkPolicy.networking.k8s.io/shop/db",
    ...(path === undefined ? {} : { path }),
  })!;
};

const markedLines = ({ lines, firstNumber, marked }: YamlView): readonly string[] =>
  marked.flatMap(([first, last]) =>
    lines.slice(first - firstNumber, last - firstNumber + 1).map((line) => line.trim()),
  );

test("a policy is shown as in its file, with the comment above it, and nothing else", () => {
  const { lines, firstNumber, marked, place } = viewOf(yaml);
  expect([lines[0], lines.at(-1), firstNumber, marked]).toEqual([
    "# Only the shop.",
    "        - port: 2",
    5,
    [],
  ]);
  expect(place).toEqual({ file: "db.yaml", line: 5 });
});

const json = JSON.stringify({ apiVersion: "v1", kind: "List", items: [policy] });

test.each([
  ["YAML", yaml, { file: "db.yaml", line: 16 }],
  ["JSON", json, undefined],
])("of a rule in %s, its lines are marked", (_, text, place) => {
  const view = viewOf(text, "spec.ingress[1]");
  expect(markedLines(view)).toEqual(["- ports:", "- port: 2"]);
  expect(view.place).toEqual(place);
});

test.each([
  ["YAML", yaml],
  ["JSON", json],
])("of isolation in %s, the pods that it selects and the direction", (_, text) => {
  expect(markedLines(viewOf(text, "isolation"))).toEqual(["podSelector: {}", "policyTypes:", "- Ingress"]);
});

test("nothing is shown of a policy that is not there", () => {
  const held = new HeldState({ title: "", revision: "", provenance: "file", sources: [] });
  expect(answerYaml(held, { policy: "NetworkPolicy.networking.k8s.io/shop/db" })).toBeUndefined();
});
