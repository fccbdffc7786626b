import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { AnswerResult } from "../cases/answer-all.js";
import { secondsSince } from "../cases/clock.js";
import type { Shape } from "../generate/shape.js";

export interface PartInput {
  readonly shape: Shape;
  readonly seed: number;
  readonly part: { readonly index: number; readonly of: number };
}

/** Compiles a cluster and goes through all of its pairs, in threads that take a part each. */
export async function answerInWorkers(shape: Shape, seed: number, workers: number): Promise<AnswerResult> {
  const threads = Array.from({ length: workers }, (_, index) => {
    const input: PartInput = { shape, seed, part: { index, of: workers } };
    return new Worker(new URL("./part-worker.js", import.meta.url), { workerData: input });
  });
  // Also rejects when a worker fails.
  await Promise.all(threads.map((thread) => once(thread, "message")));
  const start = performance.now();
  const parts = await Promise.all(threads.map(resultOf));
  const seconds = secondsSince(start);
  const sum = (of: (part: AnswerResult) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    seconds,
    compileSeconds: Math.max(...parts.map((part) => part.compileSeconds)),
    pairs: sum(({ pairs }) => pairs),
    blocks: sum(({ blocks }) => blocks),
    workers,
  };
}

async function resultOf(thread: Worker): Promise<AnswerResult> {
  const answered = once(thread, "message");
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin, a window has
  thread.postMessage("go");
  const [result] = (await answered) as [AnswerResult];
  return result;
}
