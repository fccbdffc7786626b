import fc from "fast-check";
import { expect, it } from "vitest";
import { type LabelMatch, type Labels, namespaceNameLabel, selects } from "../../labels/requirement.js";
import { LabelIndex } from "./label-index.js";
import { type NamespaceChoice, namespaceFits } from "./selection.js";

const key = fc.constantFrom("app", "tier", "toString");
const value = fc.constantFrom("a", "b", "");
const labels: fc.Arbitrary<Labels> = fc.dictionary(key, value);
const match: fc.Arbitrary<LabelMatch> = fc.array(
  fc.oneof(
    fc.record({
      key,
      operator: fc.constantFrom("In" as const, "NotIn" as const),
      values: fc.array(value, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({
      key,
      operator: fc.constantFrom("Exists" as const, "DoesNotExist" as const),
      values: fc.constant([]),
    }),
  ),
  { maxLength: 3 },
);

const namespace = fc.constantFrom("east", "west");
const namespaces: fc.Arbitrary<NamespaceChoice> = fc.oneof(
  fc.record({ kind: fc.constantFrom("named" as const, "not-named" as const), name: namespace }),
  fc.record({
    kind: fc.constant("labels" as const),
    match: fc.array(
      fc.record({
        key: fc.constantFrom(namespaceNameLabel, "team"),
        operator: fc.constantFrom("In" as const, "NotIn" as const),
        values: fc.array(namespace, { minLength: 1, maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
  }),
);

it("leaves out no selector that a change of labels turns", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ namespaces, pods: match })),
      namespace,
      labels,
      labels,
      (selectors, name, before, after) => {
        const index = new LabelIndex<(typeof selectors)[number]>();
        for (const selector of selectors) index.add(selector, selector);
        const own = { name, labels: { [namespaceNameLabel]: name, team: "west" } };
        const touched = index.touched(own, before, after);
        for (const selector of selectors) {
          const isTurned = selects(selector.pods, before) !== selects(selector.pods, after);
          if (isTurned && namespaceFits(selector.namespaces, own)) expect(touched).toContain(selector);
        }
      },
    ),
  );
});

it("leaves out those that look at other labels, at other values, or at another namespace", () => {
  const inAll: NamespaceChoice = { kind: "labels", match: [] };
  const app = (value: string, namespaces: NamespaceChoice = inAll) => ({
    namespaces,
    pods: [{ key: "app", operator: "In" as const, values: [value] }],
  });
  const index = new LabelIndex<string>();
  index.add(app("a"), "a");
  index.add(app("b"), "b");
  index.add(app("c"), "c");
  index.add(app("a", { kind: "named", name: "west" }), "a in west");
  index.add({ namespaces: inAll, pods: [{ key: "app", operator: "Exists", values: [] }] }, "any");
  index.add(app("a", { kind: "not-named", name: "east" }), "a outside east");
  const [east, west] = ["east", "west"].map((name) => ({ name, labels: { [namespaceNameLabel]: name } }));
  expect([...index.touched(east!, { app: "a", tier: "x" }, { app: "b", tier: "x" })]).toEqual(["a", "b"]);
  expect([...index.touched(east!, { app: "a" }, {})]).toEqual(["a", "any"]);
  expect([...index.touched(west!, { app: "a" }, {})]).toEqual(["a", "a outside east", "a in west", "any"]);
});
