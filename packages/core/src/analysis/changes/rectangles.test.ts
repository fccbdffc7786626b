import { describe, expect, it } from "vitest";
import { rectangles } from "./rectangles.js";

const drawn = (targets: Readonly<Record<number, readonly number[]>>, single: readonly number[]) =>
  rectangles(
    new Map(Object.entries(targets).map(([source, list]) => [Number(source), new Set(list)])),
    (number) => single.includes(number),
  ).map(({ sources, targets: to }) => `${sources.join()} -> ${to.join()}`);

describe("sources with the same targets", () => {
  it("are one", () => {
    expect(drawn({ 1: [8, 9], 2: [9, 8], 3: [8] }, [])).toEqual(["1,2 -> 8,9", "3 -> 8"]);
  });

  it("are one though each single pod lacks itself", () => {
    expect(drawn({ 1: [2, 3], 2: [1, 3], 3: [1, 2] }, [1, 2, 3])).toEqual(["1,2,3 -> 1,2,3"]);
  });

  it("are not, where one of several pods lacks its own kind", () => {
    expect(drawn({ 1: [2], 2: [1, 2] }, [])).toEqual(["1 -> 2", "2 -> 1,2"]);
  });

  it("do not include themselves if that groups no more sources", () => {
    expect(drawn({ 1: [3], 2: [3] }, [1, 2, 3])).toEqual(["1,2 -> 3"]);
  });
});
