import { answerEndpoints } from "./endpoints.js";
import { answerExplain } from "./explain.js";
import { answerFindings } from "./findings.js";
import { answerFirstQuestion } from "./first-question.js";
import type { HeldState } from "./held-state.js";
import { answerMap, answerMapChoices } from "./map.js";
import { answerMapEdge } from "./map-edge.js";
import { answerMatrix, answerMatrixCell, answerMatrixTiers } from "./matrix.js";
import { playgroundAnswers } from "./playground.js";
import { answerPolicies } from "./policies.js";
import { answerPorts } from "./ports.js";
import { answerRuleUse } from "./rule-use.js";
import { answerYaml } from "./yaml.js";

/**
 * Every question that the page asks, and who answers it. Requests and answers go from one thread to another, so they are
 * plain data. The page takes the types of this file alone: the engine is the worker's.
 */
export const answers = {
  endpoints: answerEndpoints,
  explain: answerExplain,
  findings: answerFindings,
  "first-question": answerFirstQuestion,
  map: answerMap,
  "map-choices": answerMapChoices,
  "map-edge": answerMapEdge,
  matrix: answerMatrix,
  "matrix-cell": answerMatrixCell,
  "matrix-tiers": answerMatrixTiers,
  policies: answerPolicies,
  ports: answerPorts,
  "rule-use": answerRuleUse,
  yaml: answerYaml,
  ...playgroundAnswers,
} satisfies Record<string, (held: HeldState, request: never) => unknown>;

export type Answers = typeof answers;
export type QuestionName = keyof Answers;
export type RequestOf<N extends QuestionName> = Parameters<Answers[N]>[1];
export type AnswerOf<N extends QuestionName> = Awaited<ReturnType<Answers[N]>>;
