import { describe, expect, it } from "vitest";
import { type Condition, conditionsOn, dated, sameConditions } from "./condition.js";

const accepted: Condition = {
  type: "Accepted",
  status: "True",
  reason: "Understood",
  message: "all of it is understood",
  observedGeneration: 2,
};
const before = "2026-01-01T00:00:00Z";
const now = new Date("2026-01-02T03:04:05.678Z");

describe("the time of a condition", () => {
  it.each<[string, Condition["status"] | undefined, string]>([
    ["stays while the status does", "True", before],
    ["is now where the status is another", "False", "2026-01-02T03:04:05Z"],
    ["is now where there was none", undefined, "2026-01-02T03:04:05Z"],
  ])("%s", (_, status, expected) => {
    const stored = status === undefined ? [] : [{ ...accepted, status, lastTransitionTime: before }];
    expect(dated([accepted], stored, now)).toEqual([{ ...accepted, lastTransitionTime: expected }]);
  });
});

describe("whether anything has to be written", () => {
  const standing = { ...accepted, lastTransitionTime: before };
  it.each<[string, readonly Condition[], boolean]>([
    ["not where all is said already", [accepted], false],
    ["where it is of an earlier version", [{ ...accepted, observedGeneration: 3 }], true],
    ["where the message is another", [{ ...accepted, message: "some of it is" }], true],
    [
      "not where only the example is",
      [{ ...accepted, message: `${accepted.message}; for example this` }],
      false,
    ],
    ["where one is missing", [accepted, { ...accepted, type: "Shadowed" }], true],
    ["where there is one too many", [], true],
  ])("%s", (_, wanted, expected) => expect(!sameConditions(wanted, [standing])).toBe(expected));
});

describe("conditions of an object", () => {
  it("are read, those of others are left alone, and what is no condition is none", () => {
    const foreign = { ...accepted, type: "example.com/Seen" };
    const status = { conditions: [{ ...accepted, lastTransitionTime: before }, foreign, null, "no"] };
    expect(conditionsOn({ status })).toEqual([{ ...accepted, lastTransitionTime: before }]);
    for (const nothing of [{}, { status: null }, { status: { conditions: {} } }])
      expect(conditionsOn(nothing)).toEqual([]);
  });
});
