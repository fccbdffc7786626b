import { expect, it } from "vitest";
import { Backoff, pause, RateLimit } from "./pause.js";

it("waits twice as long each time, up to a limit, and begins again after a success", () => {
  const backoff = new Backoff(100, 1000, () => 1);
  expect([1, 2, 3, 4, 5, 6].map(() => backoff.next())).toEqual([100, 200, 400, 800, 1000, 1000]);
  backoff.reset();
  expect(backoff.next()).toBe(100);
});

it("is never in step with others", () => {
  const halves = new Backoff(100, 1000, () => 0);
  expect([1, 2].map(() => halves.next())).toEqual([50, 100]);
});

it("ends early when there is nothing to wait for any more", async () => {
  const leaving = new AbortController();
  const waiting = pause(1e9, leaving.signal);
  leaving.abort();
  await expect(waiting).resolves.toBeUndefined();
  await expect(pause(1e9, leaving.signal)).resolves.toBeUndefined();
});

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
