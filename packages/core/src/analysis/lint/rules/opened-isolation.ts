import { formatPolicy } from "../../../policy/model.js";
import type { Override } from "../../proof/override.js";
import { type Finding, finding } from "../finding.js";
import { howMuch, listed, deciderName, relatedTo } from "../naming.js";
import { aboutPolicy, type LintContext, type LintRule } from "../rule.js";

/** A NetworkPolicy that isolates pods which rules of a higher tier open all the same. */
export const openedIsolation: LintRule = {
  code: "TW4105",
  *check(context) {
    for (const override of context.proofs.overrides)
      if (override.intent === "isolates") yield opened(override, context);
  },
};

function opened({ policy, direction, by, ...much }: Override, { engine }: LintContext): Finding {
  const flow = by[0]!.example();
  const rules = by.map(({ rule }) => rule);
  return finding(
    "TW4105",
    `${formatPolicy(policy)} isolates its pods for ${direction}, and ${listed(rules.map(deciderName))} allow${rules.length === 1 ? "s" : ""} some of it all the same: ${howMuch(much)}`,
    {
      ...aboutPolicy(policy),
      witness: {
        kind: "flow",
        flow,
        verdict: engine.verdict(flow),
        text: `${direction} is allowed by ${deciderName(rules[0]!)}, before isolation is asked`,
      },
      related: relatedTo(rules),
      hint: "An Allow of a tier before cannot be taken back by a namespace. If namespaces may close this, the rule should Pass.",
    },
  );
}
