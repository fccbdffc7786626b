import { expect, it } from "vitest";
import { Backoff, pause } from "./pause.js";

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
