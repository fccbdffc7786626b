import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { type LabelMatch, type Requirement, selects } from "./requirement.js";
import { exampleOf, implies, isSatisfiable } from "./satisfiable.js";

const isIn = (...values: readonly string[]): Requirement => ({ key: "k", operator: "In", values });
const notIn = (...values: readonly string[]): Requirement => ({ key: "k", operator: "NotIn", values });
const exists: Requirement = { key: "k", operator: "Exists", values: [] };
const absent: Requirement = { key: "k", operator: "DoesNotExist", values: [] };

it.each([
  ["nothing is asked", [], {}],
  ["one value", [isIn("a")], { k: "a" }],
  ["a shared value", [isIn("a", "b"), isIn("b", "c")], { k: "b" }],
  ["no shared value", [isIn("a"), isIn("b")], undefined],
  ["the only value is excluded", [isIn("a"), notIn("a")], undefined],
  ["another value is left", [isIn("a", "b"), notIn("a")], { k: "b" }],
  ["there and not there", [exists, absent], undefined],
  ["a value and not there", [isIn("a"), absent], undefined],
  ["not some value, so perhaps not there", [notIn("a"), absent], {}],
  ["there, with any value but one", [exists, notIn("any")], { k: "any-1" }],
  ["other keys are another matter", [isIn("a"), { ...isIn("b"), key: "l" }], { k: "a", l: "b" }],
] as const)("S1.10: labels that match, where %s", (_what, match, expected) => {
  expect(exampleOf(match)).toEqual(expected);
  expect(isSatisfiable(match)).toBe(expected !== undefined);
});

describe("S1.10: labels that match one selector match another", () => {
  it.each([
    ["anything, nothing", [isIn("a")], [], true],
    ["nothing, anything", [], [isIn("a")], false],
    ["fewer values", [isIn("a")], [isIn("a", "b")], true],
    ["more values", [isIn("a", "b")], [isIn("a")], false],
    ["a value is there", [isIn("a")], [exists], true],
    ["another value is not this one", [isIn("a")], [notIn("b")], true],
    ["what is absent has no value", [absent], [notIn("a", "b")], true],
    ["what has not this value may be absent", [notIn("a")], [absent], false],
    ["both, each", [isIn("a", "b"), notIn("b")], [isIn("a")], true],
  ] as const)("%s", (_what, first, second, expected) => expect(implies(first, second)).toBe(expected));

  it("exactly if no labels match the first and not the second", () => {
    const requirement: fc.Arbitrary<Requirement> = fc.record({
      key: fc.constantFrom("k", "l"),
      operator: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist"),
      values: fc.subarray(["a", "b", "c"]),
    });
    const match: fc.Arbitrary<LabelMatch> = fc.array(requirement, { maxLength: 3 });
    const values = [undefined, "a", "b", "c", "else"];
    const everyLabels = values.flatMap((k) =>
      values.map((l) => ({ ...(k === undefined ? {} : { k }), ...(l === undefined ? {} : { l }) })),
    );
    fc.assert(
      fc.property(match, match, (first, second) => {
        fc.pre(isSatisfiable(first));
        const escapes = everyLabels.some((labels) => selects(first, labels) && !selects(second, labels));
        expect(implies(first, second)).toBe(!escapes);
      }),
    );
  });
});
