import { answerEndpoints } from "./endpoints.js";
import { answerExplain } from "./explain.js";
import { answerFirstQuestion } from "./first-question.js";
import type { HeldState } from "./held-state.js";
import { playgroundAnswers } from "./playground.js";
import { answerMap, answerMapChoices } from "./map.js";
import { answerMapEdge } from "./map-edge.js";
import { answerMatrix, answerMatrixCell, answerMatrixTiers } from "./matrix.js";
import { answerPorts } from "./ports.js";
import { answerYaml } from "./yaml.js";

/**
 * Every question that the page asks, and who answers it. Requests and answers go from one thread to another, so they are
 * plain data. The page takes the types of this file alone: the engine is the worker's.
 */
export const answers = {
  endpoints: answerEndpoints,
  explain: answerExplain,
  "first-question": answerFirstQuestion,
  map: answerMap,
  "map-choices": answerMapChoices,
  "map-edge": answerMapEdge,
  matrix: answerMatrix,
  "matrix-cell": answerMatrixCell,
  "matrix-tiers": answerMatrixTiers,
  ports: answerPorts,
  yaml: answerYaml,
  ...playgroundAnswers,
} satisfies Record<string, (held: HeldState, request: never) => unknown>;

export type Answers = typeof answers;
export type QuestionName = keyof Answers;
export type RequestOf<N extends QuestionName> = Parameters<Answers[N]>[1];
export type AnswerOf<N extends QuestionName> = Awaited<ReturnType<Answers[N]>>;
