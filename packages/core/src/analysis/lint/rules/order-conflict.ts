import { formatPolicy } from "../../../policy/model.js";
import type { Verdict } from "../../../evaluate/evaluate.js";
import type { OrderConflict } from "../../proof/order-conflicts.js";
import { type Finding, finding } from "../finding.js";
import { relatedPolicies } from "../naming.js";
import { proofsFor } from "../proofs.js";
import type { LintContext, LintRule } from "../rule.js";
import { placeOfPriority, priorityOf } from "./shared-priority.js";

/** S1.13: two policies of one priority that want different things of one connection. */
export const orderConflict: LintRule = {
  code: "TW4107",
  // Proven here, with a connection; told there of all that select one pod.
  replaces: ["TW2003"],
  *check(context) {
    for (const conflict of proofsFor(context).orderConflicts) yield disagreeing(conflict, context);
  },
};

const saying: Readonly<Record<Verdict, string>> = {
  Allow: "allowed",
  Deny: "denied",
  Undecided: "undecided",
};

function disagreeing(
  { shared, first, second, direction, example }: OrderConflict,
  context: LintContext,
): Finding {
  const { flow, asOrdered, swapped } = example();
  return finding(
    "TW4107",
    `${formatPolicy(first)} and ${formatPolicy(second)} share ${priorityOf(shared)} of tier ${shared.tier} and disagree: which of them comes first decides`,
    {
      place: placeOfPriority(second, context),
      object: formatPolicy(second),
      witness: {
        kind: "flow",
        flow,
        verdict: context.engine.verdict(flow),
        text: `${direction} is ${saying[asOrdered.verdict]} with ${first.name} first, as here, and ${saying[swapped.verdict]} with ${second.name} first`,
      },
      related: relatedPolicies([first]),
      hint: "Other implementations may choose another order. Give the one that should win a priority that comes first.",
    },
  );
}
