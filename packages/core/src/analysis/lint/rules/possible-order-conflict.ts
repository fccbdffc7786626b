import { formatPolicy } from "../../../policy/model.js";
import type { PossibleConflict } from "../../../prove/rules/index.js";
import type { SharedPriority } from "../../proof/shared-priorities.js";
import { type Finding, finding } from "../finding.js";
import { relatedPolicies } from "../naming.js";
import { verdictWords } from "../../verdict-words.js";
import type { LintContext, LintRule } from "../rule.js";
import { aboutPriority, priorityOf } from "./shared-priority.js";

/** S1.13: two policies of one priority that agree in this cluster, and disagree in another. */
export const possibleOrderConflict: LintRule = {
  code: "TW4108",
  *check(context) {
    for (const [shared, { conflicts }] of context.sharedPriorities)
      for (const conflict of conflicts) yield possible(shared, conflict, context);
  },
};

function possible(shared: SharedPriority, conflict: PossibleConflict, context: LintContext): Finding {
  const { first, second, direction, asOrdered, swapped } = conflict;
  const [now, then] = [asOrdered, swapped].map(({ decisions }) => verdictWords[decisions[direction].verdict]);
  return finding(
    "TW4108",
    `${formatPolicy(first)} and ${formatPolicy(second)} share ${priorityOf(shared)} in tier ${shared.tier} and could disagree: no connection of this cluster shows it, but there can be one`,
    {
      ...aboutPriority(second, context),
      witness: {
        kind: "cluster",
        confirmed: asOrdered,
        text: `${direction} is ${now} with ${first.name} first, as it is now, and ${then} with ${second.name} first`,
      },
      related: relatedPolicies([first]),
      hint: "Give the policy that should win a priority that is evaluated first.",
    },
  );
}
