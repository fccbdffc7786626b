import { parsedState } from "../generate/parsed.js";
import { planCluster } from "../generate/plan.js";
import type { Shape } from "../generate/shape.js";
import { answerInWorkers } from "../workers/answer-in-workers.js";
import { answerAll, type AnswerResult } from "./answer-all.js";
import { collectGarbage } from "./clock.js";

export interface AnswerInput {
  readonly shape: Shape;
  readonly seed: number;
  /** How many work on it at a time. */
  readonly workers: number;
}

/** The answers for all pairs of a generated cluster. */
export async function answer({ shape, seed, workers }: AnswerInput): Promise<AnswerResult> {
  if (workers > 1) return answerInWorkers(shape, seed, workers);
  const state = parsedState(planCluster(shape, seed));
  collectGarbage();
  return answerAll(state);
}
