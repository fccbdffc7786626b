import { type Engine, RuleNeeds, showLanes } from "../../engine/index.js";
import { completed } from "../../collections/steps.js";
import type { RuleQuestions } from "../../prove/rules/index.js";
import type { Budget } from "../../prove/sat/index.js";
import { type OrderConflict, OrderConflicts } from "./order-conflicts.js";
import { type Override, Overrides } from "./overridden.js";
import { ruleProofs, type RuleProofs } from "./rule-proofs.js";

/** All that is proven about the rules of a state. */
export interface Proofs extends RuleProofs {
  readonly overrides: readonly Override[];
  readonly orderConflicts: readonly OrderConflict[];
}

export interface ProofOptions {
  /** About the same tiers: answers that are known are not looked for again. */
  readonly questions?: RuleQuestions;
  /** For questions about every cluster; called when the first is asked. What is proven about this cluster needs none. */
  readonly budget?: () => Budget;
}

/** Found together: each walk is gone through once. Examples have to be asked for before the engine takes an update. */
export const prove = (engine: Engine, options: ProofOptions = {}): Proofs =>
  completed(proveInSteps(engine, options));

/** The same for a caller with other things to do in between. The engine must take no update before the last step. */
export function* proveInSteps(
  engine: Engine,
  { questions, budget }: ProofOptions = {},
): Generator<void, Proofs> {
  const [needs, overrides, conflicts] = [
    new RuleNeeds(engine),
    new Overrides(engine),
    new OrderConflicts(engine),
  ];
  yield* showLanes(engine, [needs, overrides, conflicts]);
  yield;
  const ofRules = yield* ruleProofs(engine, needs, questions, budget?.());
  return { ...ofRules, overrides: overrides.all(), orderConflicts: conflicts.all() };
}
