import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PacedWork } from "./paced-work.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Work that takes a second, and when it began. */
function secondsOfWork() {
  const began: number[] = [];
  const start = performance.now();
  const work = new PacedWork(async () => {
    began.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 1000));
  });
  return { work, began };
}

it("works once for many stirs, and rests four times as long as it worked, or once where somebody waits", async () => {
  const { work, began } = secondsOfWork();
  work.stir("sometime");
  work.stir("sometime");
  await vi.advanceTimersByTimeAsync(100);
  expect(began).toEqual([50]);
  // Also of what comes while it works.
  work.stir("sometime");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(began).toEqual([50, 5050]);
  work.stir("sometime");
  work.stir("soon");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(began).toHaveLength(3);
});

it("begins sooner when somebody comes who waits for it", async () => {
  const { work, began } = secondsOfWork();
  work.stir("soon");
  await vi.advanceTimersByTimeAsync(50);
  work.stir("sometime");
  work.stir("soon");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(began).toEqual([50, 2050]);
});

it("does nothing more when it was stopped", async () => {
  const { work, began } = secondsOfWork();
  work.stir("soon");
  work.stop();
  work.stir("soon");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(began).toEqual([]);
});

it("tells when it does nothing", async () => {
  const { work } = secondsOfWork();
  await work.idle();
  work.stir("soon");
  await vi.advanceTimersByTimeAsync(60);
  let isIdle = false;
  void work.idle().then(() => (isIdle = true));
  await vi.advanceTimersByTimeAsync(900);
  expect(isIdle).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(isIdle).toBe(true);
});
