import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PacedWork } from "./paced-work.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Work that takes a second, and when it began. */
function secondsOfWork() {
  const began: number[] = [];
  const start = performance.now();
  const work = new PacedWork(() => {
    began.push(performance.now() - start);
    vi.advanceTimersByTime(1000);
  });
  return { work, began };
}

it("works once for many stirs, and rests four times as long as it worked, or once where somebody waits", () => {
  const { work, began } = secondsOfWork();
  work.stir("sometime");
  work.stir("sometime");
  vi.advanceTimersByTime(100);
  expect(began).toEqual([50]);
  work.stir("sometime");
  vi.advanceTimersByTime(10_000);
  expect(began).toEqual([50, 5050]);
  work.stir("sometime");
  work.stir("soon");
  vi.advanceTimersByTime(10_000);
  expect(began).toHaveLength(3);
});

it("begins sooner when somebody comes who waits for it", () => {
  const { work, began } = secondsOfWork();
  work.stir("soon");
  vi.advanceTimersByTime(50);
  work.stir("sometime");
  work.stir("soon");
  vi.advanceTimersByTime(10_000);
  expect(began).toEqual([50, 2050]);
});

it("does nothing more when it was stopped", () => {
  const { work, began } = secondsOfWork();
  work.stir("soon");
  work.stop();
  work.stir("soon");
  vi.advanceTimersByTime(10_000);
  expect(began).toEqual([]);
});
