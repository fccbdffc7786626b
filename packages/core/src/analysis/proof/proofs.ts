import type { Engine } from "../../engine/engine.js";
import { readLanes } from "../../engine/lanes.js";
import { RuleNeeds } from "../../engine/rule-need.js";
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
  const [needs, overrides, conflicts] = [
    new RuleNeeds(engine),
    new Overrides(engine),
    new OrderConflicts(engine),
  ];
  readLanes(engine, [needs, overrides, conflicts]);
  return {
    ofRules: ruleProofs(engine, needs),
    overrides: overrides.all(),
    orderConflicts: conflicts.all(),
  };
}
