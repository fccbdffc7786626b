import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Delivery } from "./delivery.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const times = { quiet: 20, longest: 50 };

/** What was called when, on a clock that begins at 0, if something changes at these times. */
async function callsFor(changes: readonly number[], takes = 0): Promise<readonly number[]> {
  const begin = performance.now();
  const calls: number[] = [];
  const delivery = new Delivery(async () => {
    calls.push(performance.now() - begin);
    if (takes > 0) await new Promise((resolve) => setTimeout(resolve, takes));
  }, times);
  for (const at of changes) {
    await vi.advanceTimersByTimeAsync(begin + at - performance.now());
    delivery.request();
  }
  await vi.advanceTimersByTimeAsync(1000);
  await delivery.stop();
  return calls;
}

describe("delivering", () => {
  it.each([
    ["one change waits for others", [0], 0, [20]],
    ["what comes together goes together", [0, 5, 10], 0, [30]],
    ["changes without end are not waited for", [0, 10, 20, 30, 40, 50, 60], 0, [50, 80]],
    ["what comes later goes later", [0, 100], 0, [20, 120]],
    ["what comes during a call goes when it is over, once", [0, 30, 40, 60], 100, [20, 120]],
  ])("%s", async (_, changes, takes, calls) => {
    expect(await callsFor(changes, takes)).toEqual(calls);
  });

  it("reports since when", async () => {
    const sinces: number[] = [];
    const begin = performance.now();
    const delivery = new Delivery((since) => void sinces.push(since - begin), times);
    delivery.request();
    await vi.advanceTimersByTimeAsync(7);
    delivery.request();
    await vi.advanceTimersByTimeAsync(100);
    expect(sinces).toEqual([0]);
  });

  it("ends", async () => {
    let calls = 0;
    const delivery = new Delivery(() => void calls++, times);
    delivery.request();
    await delivery.stop();
    delivery.request();
    await vi.advanceTimersByTimeAsync(100);
    expect(calls).toBe(0);
  });
});

describe("delivering with rests", () => {
  /** Work that takes a second, and when it began. */
  function secondsOfWork() {
    const began: number[] = [];
    const start = performance.now();
    const work = async () => {
      began.push(performance.now() - start);
      await new Promise((done) => setTimeout(done, 1000));
    };
    return { work: new Delivery(work, { quiet: 50, longest: 50 }), began };
  }

  it("works once for many changes, and rests as many times as long as it worked as the change says", async () => {
    const { work, began } = secondsOfWork();
    work.request(4);
    work.request(4);
    await vi.advanceTimersByTimeAsync(100);
    expect(began).toEqual([50]);
    // Also of what comes while it works.
    work.request(4);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(began).toEqual([50, 5050]);
    work.request(4);
    work.request(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(began).toHaveLength(3);
  });

  it("begins sooner after a change that asks for less rest", async () => {
    const { work, began } = secondsOfWork();
    work.request(1);
    await vi.advanceTimersByTimeAsync(50);
    work.request(4);
    work.request(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(began).toEqual([50, 2050]);
  });

  it("does nothing more when it was stopped", async () => {
    const { work, began } = secondsOfWork();
    work.request(1);
    await work.stop();
    work.request(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(began).toEqual([]);
  });

  it("says when it does nothing", async () => {
    const { work } = secondsOfWork();
    await work.idle();
    work.request(1);
    await vi.advanceTimersByTimeAsync(60);
    let isIdle = false;
    void work.idle().then(() => (isIdle = true));
    await vi.advanceTimersByTimeAsync(900);
    expect(isIdle).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(isIdle).toBe(true);
  });
});
