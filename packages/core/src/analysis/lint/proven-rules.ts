import type { LintRule } from "./rule.js";
import { openedIsolation } from "./rules/opened-isolation.js";
import { orderConflict } from "./rules/order-conflict.js";
import { overriddenPolicy } from "./rules/overridden-policy.js";
import { possibleOrderConflict } from "./rules/possible-order-conflict.js";
import { redundantRule } from "./rules/redundant-rule.js";
import { shadowedRule } from "./rules/shadowed-rule.js";
import { sharedPriority } from "./rules/shared-priority.js";
import { unreachedRule } from "./rules/unreached-rule.js";

/** Rules whose findings are proven with the engine (analysis/proof/). */
export const provenRules: readonly LintRule[] = [
  shadowedRule,
  unreachedRule,
  redundantRule,
  overriddenPolicy,
  openedIsolation,
  sharedPriority,
  orderConflict,
  possibleOrderConflict,
];
