import { describe, expect, it } from "vitest";
import type { AddressRange } from "../../engine/pairs/outside-runs.js";
import { isEveryAddress, joinRanges } from "./join-ranges.js";

const range = (first: number, last: number, family: 4 | 6 = 4): AddressRange => ({
  family,
  first: BigInt(first),
  last: BigInt(last),
});

describe("ranges of addresses", () => {
  it.each([
    [[range(5, 9), range(0, 4)], [range(0, 9)]],
    [
      [range(0, 4), range(6, 9)],
      [range(0, 4), range(6, 9)],
    ],
    [[range(0, 9), range(2, 3)], [range(0, 9)]],
    [
      [range(0, 4), range(5, 9, 6)],
      [range(0, 4), range(5, 9, 6)],
    ],
    [[], []],
  ])("%# are joined where they touch", (ranges, wanted) => {
    expect(joinRanges(ranges)).toEqual(wanted);
  });

  it("are a whole family from the first address to the last", () => {
    expect(isEveryAddress({ family: 4, first: 0n, last: 2n ** 32n - 1n })).toBe(true);
    expect(isEveryAddress({ family: 6, first: 0n, last: 2n ** 32n - 1n })).toBe(false);
    expect(isEveryAddress({ family: 4, first: 1n, last: 2n ** 32n - 1n })).toBe(false);
  });
});
