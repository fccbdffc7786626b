import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PacedWork } from "./paced-work.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

it("works once for many stirs, rests four times as long as it worked, and ends when it is told to", () => {
  const began: number[] = [];
  const work = new PacedWork(() => {
    began.push(performance.now());
    // As if it took a second.
    vi.setSystemTime(Date.now() + 1000);
    vi.advanceTimersByTime(1000);
  });
  const start = performance.now();
  work.stir();
  work.stir();
  vi.advanceTimersByTime(60);
  expect(began).toEqual([start + 50]);
  work.stir();
  vi.advanceTimersByTime(3900);
  expect(began).toHaveLength(1);
  vi.advanceTimersByTime(200);
  expect(began).toHaveLength(2);
  work.stir();
  work.stop();
  vi.advanceTimersByTime(60_000);
  work.stir();
  vi.advanceTimersByTime(60_000);
  expect(began).toHaveLength(2);
});
