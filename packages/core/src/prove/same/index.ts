export { compareEverywhere, type Equality, outcomeOf } from "./equality.js";
