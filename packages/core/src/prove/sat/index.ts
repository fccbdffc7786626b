export { FALSE, type Literal, not, TRUE, variableOf } from "./literal.js";
export { minimalCore } from "./minimal-core.js";
export type { Answer, Budget, Hints, Model, ProofTrace } from "./question.js";
export { Solver } from "./solver.js";
export { withRoom } from "./typed-arrays.js";
