import { type Engine, RuleNeeds, showLanes } from "../../engine/index.js";
import { type OrderConflict, OrderConflicts } from "./order-conflicts.js";
import { type Override, Overrides } from "./overridden.js";
import { type RuleProof, ruleProofs } from "./rule-proofs.js";

/** All that is proven about the rules of a state. */
export interface Proofs {
  readonly ofRules: readonly RuleProof[];
  readonly overrides: readonly Override[];
  readonly orderConflicts: readonly OrderConflict[];
}

/** Found together: each walk is gone through once. What is left to be asked holds until the engine takes an update. */
export function prove(engine: Engine): Proofs {
  const steps = proveInSteps(engine);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same for who has other things to do in between. The engine must take no update before the last step. */
export function* proveInSteps(engine: Engine): Generator<void, Proofs> {
  const [needs, overrides, conflicts] = [
    new RuleNeeds(engine),
    new Overrides(engine),
    new OrderConflicts(engine),
  ];
  yield* showLanes(engine, [needs, overrides, conflicts]);
  yield;
  const ofRules = ruleProofs(engine, needs);
  yield;
  return { ofRules, overrides: overrides.all(), orderConflicts: conflicts.all() };
}
