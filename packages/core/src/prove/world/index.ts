export { Answers } from "./answers.js";
export { confirm, type Confirmed, isConditional } from "./confirm.js";
export { type Essential, essentialOf } from "./essential.js";
export { shrink } from "./preferences.js";
export { manifestsText } from "./manifests.js";
export type { OwnerRule } from "../encode/index.js";
export { readWitness, type Witness, type WitnessEnd } from "./witness.js";
