import { describe, expect, it } from "vitest";
import { LatestWins } from "./latest-wins.js";

/** A worker whose turns end when the test says so. */
function setup(delays: readonly number[] = [1]) {
  const turns: { readonly value: string; end(): void; fail(cause: Error): void }[] = [];
  const failures: string[] = [];
  const loop = new LatestWins<string>(
    (value) => new Promise((end, fail) => turns.push({ value, end, fail })),
    {
      merge: (waiting, next) => `${waiting}+${next}`,
      onFailure: (cause, retryIn) => failures.push(`${(cause as Error).message}, again in ${retryIn}`),
      delays,
    },
  );
  const worked = () => turns.map((turn) => turn.value);
  const turn = async (count: number) => {
    while (turns.length < count) await new Promise((next) => setTimeout(next, 1));
    return turns[count - 1]!;
  };
  return { loop, worked, failures, turn };
}

describe("what was given last wins", () => {
  it("works on what comes, one turn at a time, and merges what comes meanwhile", async () => {
    const { loop, worked, turn } = setup();
    const done = loop.offer("a");
    void loop.offer("b");
    void loop.offer("c");
    expect(worked()).toEqual(["a"]);
    (await turn(1)).end();
    (await turn(2)).end();
    await done;
    expect(worked()).toEqual(["a", "b+c"]);
  });

  it("retries after a failure with growing delays, which restart after a success", async () => {
    const { loop, worked, failures, turn } = setup([1, 2]);
    void loop.offer("a");
    for (const n of [1, 2, 3]) (await turn(n)).fail(new Error("refused"));
    (await turn(4)).end();
    void loop.offer("b");
    (await turn(5)).fail(new Error("refused"));
    (await turn(6)).end();
    expect(worked()).toEqual(["a", "a", "a", "a", "b", "b"]);
    expect(failures).toEqual([1, 2, 2, 1].map((ms) => `refused, again in ${ms}`));
  });

  it("does not wait for the retry when something newer comes, and keeps what failed in it", async () => {
    const { loop, worked, turn } = setup([3_600_000]);
    const failed = loop.offer("a");
    (await turn(1)).fail(new Error("refused"));
    await failed;
    const done = loop.offer("b");
    (await turn(2)).end();
    await done;
    expect(worked()).toEqual(["a", "a+b"]);
  });

  it("goes on at once with what came during a turn that failed", async () => {
    const { loop, worked, turn } = setup([3_600_000]);
    const done = loop.offer("a");
    void loop.offer("b");
    (await turn(1)).fail(new Error("refused"));
    (await turn(2)).end();
    await done;
    expect(worked()).toEqual(["a", "a+b"]);
  });

  it("stops after the turn that runs, and takes nothing more", async () => {
    const { loop, worked, turn } = setup();
    void loop.offer("a");
    void loop.offer("b");
    const stopped = loop.stop();
    (await turn(1)).end();
    await stopped;
    await loop.offer("c");
    expect(worked()).toEqual(["a"]);
  });
});
