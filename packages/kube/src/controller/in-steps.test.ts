import { expect, it } from "vitest";
import { inSteps } from "./in-steps.js";

/** Steps that keep the thread busy for ten milliseconds each, and what they had done whenever others had their turn. */
function busy(count: number) {
  let done = 0;
  function* steps(): Generator<void, string> {
    for (; done < count; done++) {
      const end = performance.now() + 10;
      while (performance.now() < end);
      yield;
    }
    return "all done";
  }
  const seen: number[] = [];
  const look = setInterval(() => seen.push(done), 1);
  return { steps: steps(), seen, end: () => clearInterval(look), done: () => done };
}

it("does all steps, and others have their turn in between", async () => {
  const { steps, seen, end } = busy(10);
  expect(await inSteps(steps, new AbortController().signal)).toBe("all done");
  end();
  expect(seen.some((done) => done > 0 && done < 10)).toBe(true);
});

it("takes no step after it was aborted", async () => {
  const stopping = new AbortController();
  const { steps, end, done } = busy(1000);
  const ended = inSteps(steps, stopping.signal);
  stopping.abort();
  expect(await ended).toBeUndefined();
  end();
  expect(done()).toBeLessThan(10);
});
