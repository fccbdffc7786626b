import { readLanes } from "../../engine/lanes.js";
import { RuleNeeds } from "../../engine/rule-need.js";
import { type OrderConflict, OrderConflicts } from "../proof/order-conflicts.js";
import type { Override } from "../proof/override.js";
import { Overrides } from "../proof/overridden.js";
import { type RuleProof, ruleProofs } from "../proof/rule-proofs.js";
import type { LintContext } from "./rule.js";

/** All that is proven about the rules of a state. */
export interface Proofs {
  readonly ofRules: readonly RuleProof[];
  readonly overrides: readonly Override[];
  readonly orderConflicts: readonly OrderConflict[];
}

const known = new WeakMap<LintContext, Proofs>();

/** Found together, once for all that look at them. */
export function proofsFor(context: LintContext): Proofs {
  const found = known.get(context) ?? prove(context);
  known.set(context, found);
  return found;
}

function prove({ engine }: LintContext): Proofs {
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
