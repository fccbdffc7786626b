import { type Constraint, object, string } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { validationRules } from "./structural.js";

const of = ["a", "b", "c"];
const fields = Object.fromEntries(of.map((name) => [name, string(name)]));
const rulesFor = (constraint: Constraint) =>
  validationRules(object("a thing", "A thing.", fields, [constraint]));

describe("a constraint in CEL", () => {
  it.each<[Constraint, rule: string, message: string]>([
    [
      { kind: "exactly-one", of },
      "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) + (has(self.c) ? 1 : 0) == 1",
      "a thing needs exactly one of `a`, `b` and `c`",
    ],
    [
      { kind: "at-least-one", of: ["a", "b"] },
      "has(self.a) || has(self.b)",
      "a thing needs at least one of `a` and `b`",
    ],
    [
      { kind: "at-most-one", of: ["a", "b"] },
      "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1",
      "`a` and `b` are mutually exclusive in a thing",
    ],
    [
      { kind: "needs", field: "a", needs: ["b", "c"] },
      "!has(self.a) || has(self.b) || has(self.c)",
      "`a` requires `b` or `c`",
    ],
    [
      { kind: "custom", check: () => [], cel: { rule: "self.a != self.b", message: "they differ" } },
      "self.a != self.b",
      "they differ",
    ],
  ])("%j", (constraint, rule, message) => expect(rulesFor(constraint)).toEqual([{ rule, message }]));

  it("a check that only warns has none", () => {
    expect(rulesFor({ kind: "custom", check: () => [] })).toEqual([]);
  });
});
