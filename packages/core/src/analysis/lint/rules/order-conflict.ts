import { formatPolicy } from "../../../policy/model.js";
import type { OrderConflict } from "../../proof/order-conflicts.js";
import { grouped } from "../../../collections/maps.js";
import { type Finding, finding } from "../finding.js";
import { listed, relatedPolicies } from "../naming.js";
import { verdictWords } from "../../verdict-words.js";
import type { LintContext, LintRule } from "../rule.js";
import { aboutPriority, priorityOf } from "./shared-priority.js";

/** S1.13: two policies of one priority that decide one connection differently. */
export const orderConflict: LintRule = {
  code: "TW4107",
  // Proven here, with a connection; reported there for all that select one pod.
  replaces: ["TW2003"],
  *check(context) {
    const bySecond = grouped(context.proofs.orderConflicts, ({ second }) => second);
    for (const conflicts of bySecond.values()) yield disagreeing(conflicts, context);
  },
};

/** A policy and all those before it that it disagrees with: the first of them is shown. */
function disagreeing(conflicts: readonly OrderConflict[], context: LintContext): Finding {
  const { shared, first, second, direction, example } = conflicts[0]!;
  const { flow, asOrdered, swapped } = example();
  const others = conflicts.map((conflict) => conflict.first);
  const who =
    others.length === 1
      ? `${formatPolicy(first)} and ${formatPolicy(second)} share ${priorityOf(shared)} in tier ${shared.tier} and disagree`
      : `${formatPolicy(second)} shares ${priorityOf(shared)} in tier ${shared.tier} with ${listed(others.map(formatPolicy))} and disagrees with each of them`;
  return finding("TW4107", `${who} in this cluster: the order of evaluation decides`, {
    ...aboutPriority(second, context),
    witness: {
      kind: "flow",
      flow,
      verdict: context.engine.verdict(flow),
      text: `${direction} is ${verdictWords[asOrdered.verdict]} with ${first.name} first, as it is now, and ${verdictWords[swapped.verdict]} with ${second.name} first`,
    },
    related: relatedPolicies(others),
    hint: "Other implementations may choose another order. Give the policy that should win a priority that is evaluated first.",
  });
}
