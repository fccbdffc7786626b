import { answerEndpoints } from "./questions/endpoints.js";
import { answerExplain } from "./questions/explain.js";
import { answerFindings } from "./questions/findings.js";
import { answerFirstQuestion } from "./questions/first-question.js";
import { guaranteeAnswers } from "./questions/guarantee/guarantees.js";
import type { HeldState } from "./held-state.js";
import { answerMap, answerMapChoices } from "./questions/map.js";
import { answerMapEdge } from "./questions/map-edge.js";
import { answerMatrix, answerMatrixCell, answerMatrixTiers } from "./questions/matrix.js";
import { playgroundAnswers } from "./questions/playground.js";
import { answerPolicies } from "./questions/policies.js";
import { answerPorts } from "./questions/ports.js";
import { answerRuleUse } from "./questions/rule-use.js";
import { answerYaml } from "./questions/yaml.js";

/**
 * Every question that the page asks, and the function that answers it. Requests and answers go from one thread to another, so they are
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
  ...guaranteeAnswers,
  ...playgroundAnswers,
} satisfies Record<string, (held: HeldState, request: never) => unknown>;

export type Answers = typeof answers;
export type QuestionName = keyof Answers;
export type RequestOf<N extends QuestionName> = Parameters<Answers[N]>[1];
export type AnswerOf<N extends QuestionName> = Awaited<ReturnType<Answers[N]>>;
