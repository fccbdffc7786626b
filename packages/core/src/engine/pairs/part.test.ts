import { describe, expect, it } from "vitest";
import { shareOf } from "./part.js";

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const sharesOf = (count: number, of: number) =>
  numbers(of).map((index) => shareOf(numbers(count), { index, of }));

describe("the shares of all parts", () => {
  it.each([
    { count: 0, of: 2 },
    { count: 1, of: 3 },
    { count: 7, of: 2 },
    { count: 10_000, of: 3 },
  ])("are $count members in $of parts, each once", ({ count, of }) => {
    expect(
      sharesOf(count, of)
        .flat()
        .toSorted((a, b) => a - b),
    ).toEqual(numbers(count));
  });

  it("are about as large", () => {
    const sizes = sharesOf(10_000, 3).map(({ length }) => length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(100);
  });

  it.each([2, 4, 16, 1024])("have about as many of the members of which each %i-th is alike", (period) => {
    const alike = sharesOf(10_000, 2).map((share) => share.filter((i) => i % period < period / 2).length);
    expect(Math.abs(alike[0]! - alike[1]!)).toBeLessThan(200);
  });

  it("is everything, where there is but one", () => {
    expect(shareOf(numbers(5), { index: 0, of: 1 })).toEqual(numbers(5));
  });
});
