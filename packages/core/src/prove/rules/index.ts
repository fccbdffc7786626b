export { orderAnswer, type OrderAnswer, type PossibleConflict } from "./order-questions.js";
export { type EveryClusterProof, type RuleAnswer, RuleQuestions } from "./rule-questions.js";
export type { Conjunction, RuleWalk } from "./rule-walk.js";
