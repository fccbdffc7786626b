import { expect, it } from "vitest";
import type { Requirement } from "./requirement.js";
import { isSatisfiable } from "./satisfiable.js";

const isIn = (...values: readonly string[]): Requirement => ({ key: "k", operator: "In", values });
const notIn = (...values: readonly string[]): Requirement => ({ key: "k", operator: "NotIn", values });
const exists: Requirement = { key: "k", operator: "Exists", values: [] };
const absent: Requirement = { key: "k", operator: "DoesNotExist", values: [] };

it.each([
  ["nothing is asked", [], true],
  ["one value", [isIn("a")], true],
  ["a shared value", [isIn("a", "b"), isIn("b", "c")], true],
  ["no shared value", [isIn("a"), isIn("b")], false],
  ["the only value is excluded", [isIn("a"), notIn("a")], false],
  ["another value is left", [isIn("a", "b"), notIn("a")], true],
  ["there and not there", [exists, absent], false],
  ["a value and not there", [isIn("a"), absent], false],
  ["not some value, so perhaps not there", [notIn("a"), absent], true],
  ["there, with any value but one", [exists, notIn("a")], true],
  ["other keys are another matter", [isIn("a"), { ...isIn("b"), key: "l" }], true],
] as const)("S1.10: %s", (_what, match, expected) => expect(isSatisfiable(match)).toBe(expected));
