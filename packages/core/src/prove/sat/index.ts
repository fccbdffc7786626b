export { FALSE, type Literal, not, TRUE, variableOf } from "./literal.js";
export { minimalCore } from "./minimal-core.js";
export { type Answer, type Budget, type Leaves, type ProofTrace, Solver } from "./solver.js";
