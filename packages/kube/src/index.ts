export type { Situation, SituationSource } from "./situation.js";
