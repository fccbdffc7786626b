import { expect, it } from "vitest";
import { RateLimit } from "./rate-limit.js";

it("lets a few through at once, then so many a second, and a few again after a quiet time", () => {
  let now = 0;
  const limit = new RateLimit(10, 3, () => now);
  const take = (count: number) => Array.from({ length: count }, () => Math.round(limit.take()));
  expect(take(5)).toEqual([0, 0, 0, 100, 200]);
  now += 200;
  expect(take(1)).toEqual([100]);
  now += 10_000;
  expect(take(4)).toEqual([0, 0, 0, 100]);
});
