import { compile } from "@tierwall/core/engine";
import type { State } from "@tierwall/core/state";
import { secondsSince } from "./clock.js";

export interface AnswerResult {
  readonly seconds: number;
  readonly compileSeconds: number;
  /** Ordered pairs of different ends, and the blocks that they came in. */
  readonly pairs: number;
  readonly blocks: number;
  /** How many did work on it. */
  readonly workers: number;
}

/** Compiles a cluster and goes through the answers for all of its pairs, alone or as one part of several. */
export function answerAll({ cluster, tiers }: State, part = { index: 0, of: 1 }): AnswerResult {
  const start = performance.now();
  const engine = compile(cluster, tiers);
  const compileSeconds = secondsSince(start);
  let pairs = 0;
  let blocks = 0;
  for (const { count } of engine.pairs({ part })) {
    pairs += count;
    blocks++;
  }
  return { seconds: secondsSince(start), compileSeconds, pairs, blocks, workers: 1 };
}
