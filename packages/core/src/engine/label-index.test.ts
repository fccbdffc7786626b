import fc from "fast-check";
import { expect, it } from "vitest";
import { type LabelMatch, type Labels, selects } from "../labels/requirement.js";
import { LabelIndex } from "./label-index.js";

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

it("leaves out no selector that a change of labels turns", () => {
  fc.assert(
    fc.property(fc.array(match), labels, labels, (selectors, before, after) => {
      const index = new LabelIndex<LabelMatch>();
      for (const selector of selectors) index.add(selector, selector);
      const touched = index.touched(before, after);
      for (const selector of selectors)
        if (selects(selector, before) !== selects(selector, after)) expect(touched).toContain(selector);
    }),
  );
});

it("leaves out those that look at other labels, or at other values", () => {
  const app = (value: string): LabelMatch => [{ key: "app", operator: "In", values: [value] }];
  const index = new LabelIndex<string>();
  index.add(app("a"), "a");
  index.add(app("b"), "b");
  index.add(app("c"), "c");
  index.add([{ key: "app", operator: "Exists", values: [] }], "any");
  expect([...index.touched({ app: "a", tier: "x" }, { app: "b", tier: "x" })]).toEqual(["a", "b"]);
  expect([...index.touched({ app: "a" }, {})]).toEqual(["a", "any"]);
});
