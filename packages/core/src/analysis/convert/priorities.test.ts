import { describe, expect, it } from "vitest";
import { assignPriorities, type PriorityPlace } from "./priorities.js";

const wanted = (...numbers: readonly number[]): readonly PriorityPlace[] =>
  numbers.map((number) => ({ kind: "new", wanted: number }));
const kept = (priority: number): PriorityPlace => ({ kind: "kept", priority });

describe("priorities of policies in a given order", () => {
  it.each<[string, readonly PriorityPlace[], readonly number[] | undefined]>([
    ["stay what they were where they differ", wanted(0, 10, 500), [0, 10, 500]],
    ["become distinct where they were equal", wanted(10, 10, 10), [10, 11, 12]],
    ["push others on only as far as needed", wanted(10, 10, 11, 50), [10, 11, 12, 50]],
    [
      "move forward at the end, where there is no more room",
      wanted(990, 1000, 1000, 1000),
      [990, 998, 999, 1000],
    ],
    ["go between those that stay", [kept(5), ...wanted(5), kept(10)], [5, 6, 10]],
    ["make room before those that stay", [...wanted(10, 10), kept(10)], [8, 9, 10]],
    ["do not touch equal ones that stay", [kept(5), kept(5), ...wanted(5)], [5, 5, 6]],
    ["cannot be had where nothing is free", [kept(5), ...wanted(5), kept(6)], undefined],
    ["cannot be had before 0", [...wanted(0), kept(0)], undefined],
    ["end at 1000", wanted(...Array.from({ length: 1002 }, () => 0)), undefined],
  ])("%s", (_, places, expected) => expect(assignPriorities(places)).toEqual(expected));
});
