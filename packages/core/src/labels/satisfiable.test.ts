import { expect, it } from "vitest";
import type { Requirement } from "./requirement.js";
import { exampleOf, isSatisfiable } from "./satisfiable.js";

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
