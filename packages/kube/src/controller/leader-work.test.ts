import { expect, it } from "vitest";
import type { Condition } from "./condition.js";
import { isNews } from "./leader-work.js";

const condition = (type: Condition["type"], status: Condition["status"]): Condition => ({
  type,
  status,
  reason: "Reason",
  message: "message",
  observedGeneration: 1,
});

it.each<
  [
    type: Condition["type"],
    before: Condition["status"] | undefined,
    now: Condition["status"],
    isReported: boolean,
  ]
>([
  ["Accepted", undefined, "True", false],
  ["Accepted", undefined, "False", true],
  ["Accepted", "False", "True", true],
  ["Accepted", "True", "True", false],
  ["Shadowed", undefined, "True", true],
  ["Programmed", undefined, "False", false],
  ["Programmed", "False", "True", true],
  ["Holds", undefined, "True", false],
  ["Holds", undefined, "False", true],
  ["Holds", "True", "False", true],
  ["Holds", "False", "True", true],
  ["Holds", "Unknown", "Unknown", false],
  // On every policy at once.
  ["ForeignPolicies", undefined, "True", false],
  ["ForeignPolicies", "True", "Unknown", false],
  ["ForeignPolicies", "Unknown", "True", false],
])("%s that was %s and is %s has an Event: %s", (type, before, now, isReported) => {
  const known = before === undefined ? [] : [condition(type, before)];
  expect(isNews(known, condition(type, now))).toBe(isReported);
});
