import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Delivery } from "./delivery.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const times = { quiet: 20, longest: 50 };

/** What was called when, on a clock that begins at 0, if something stirs at these times. */
async function callsFor(stirs: readonly number[], takes = 0): Promise<readonly number[]> {
  const begin = performance.now();
  const calls: number[] = [];
  const delivery = new Delivery(async () => {
    calls.push(performance.now() - begin);
    if (takes > 0) await new Promise((resolve) => setTimeout(resolve, takes));
  }, times);
  for (const at of stirs) {
    await vi.advanceTimersByTimeAsync(begin + at - performance.now());
    delivery.stir();
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
  ])("%s", async (_, stirs, takes, calls) => {
    expect(await callsFor(stirs, takes)).toEqual(calls);
  });

  it("tells since when", async () => {
    const sinces: number[] = [];
    const begin = performance.now();
    const delivery = new Delivery((since) => void sinces.push(since - begin), times);
    delivery.stir();
    await vi.advanceTimersByTimeAsync(7);
    delivery.stir();
    await vi.advanceTimersByTimeAsync(100);
    expect(sinces).toEqual([0]);
  });

  it("ends", async () => {
    let calls = 0;
    const delivery = new Delivery(() => void calls++, times);
    delivery.stir();
    await delivery.stop();
    delivery.stir();
    await vi.advanceTimersByTimeAsync(100);
    expect(calls).toBe(0);
  });
});
