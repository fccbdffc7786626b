export { ownerRulesName } from "./cilium-item.js";
export { compareEverywhere, type Equality, outcomeOf } from "./equality.js";
