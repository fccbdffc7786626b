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

describe("delivering what may fail", () => {
  /** Calls that end when the test says so, and since when each of them was waited for. */
  function setup() {
    const begin = performance.now();
    const calls: { readonly since: number; end(): void; fail(): void }[] = [];
    const failures: number[] = [];
    const delivery = new Delivery(
      (since) =>
        new Promise((end, fail) => {
          calls.push({ since: since - begin, end, fail: () => fail(new Error("refused")) });
        }),
      times,
      (_cause, retryIn) => failures.push(retryIn),
    );
    const at = (milliseconds: number) => delivery.now(begin + milliseconds);
    const sinces = () => calls.map(({ since }) => since);
    const end = async (how: "end" | "fail") => {
      calls.at(-1)![how]();
      await vi.advanceTimersByTimeAsync(0);
    };
    return { delivery, at, sinces, failures, end };
  }

  it("is called at once, one call at a time, and once for all that comes meanwhile", async () => {
    const { at, sinces, end } = setup();
    const done = at(0);
    void at(3);
    void at(2);
    expect(sinces()).toEqual([0]);
    await end("end");
    await end("end");
    await done;
    expect(sinces()).toEqual([0, 2]);
  });

  it("is repeated with growing delays, which begin again after a success", async () => {
    const { at, sinces, failures, end } = setup();
    const failed = at(0);
    await end("fail");
    await failed;
    for (const delay of [250, 1000, 4000, 15_000, 30_000]) {
      await vi.advanceTimersByTimeAsync(delay - 1);
      const { length } = sinces();
      await vi.advanceTimersByTimeAsync(1);
      expect(sinces()).toHaveLength(length + 1);
      await end("fail");
    }
    await vi.advanceTimersByTimeAsync(30_000);
    await end("end");
    void at(9);
    await end("fail");
    expect(failures).toEqual([250, 1000, 4000, 15_000, 30_000, 30_000, 250]);
    expect(new Set(sinces().slice(0, -1))).toEqual(new Set([0]));
  });

  it("does not wait for the repetition when something newer comes, and knows since when it failed", async () => {
    const { at, sinces, end } = setup();
    const failed = at(1);
    await end("fail");
    await failed;
    void at(5);
    await end("end");
    expect(sinces()).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sinces()).toHaveLength(2);
  });

  it("goes on at once with what came during a call that failed", async () => {
    const { at, sinces, end } = setup();
    const done = at(1);
    void at(5);
    await end("fail");
    await end("end");
    await done;
    expect(sinces()).toEqual([1, 1]);
  });

  it("stops after the call that runs, and takes nothing more", async () => {
    const { delivery, at, sinces, end } = setup();
    void at(0);
    void at(1);
    const stopped = delivery.stop();
    await end("fail");
    await stopped;
    await at(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sinces()).toEqual([0]);
  });
});
