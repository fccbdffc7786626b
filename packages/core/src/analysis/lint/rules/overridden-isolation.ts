import { formatPolicy } from "../../../policy/model.js";
import type { Override } from "../../proof/override.js";
import { type Finding, finding } from "../finding.js";
import { affected, deciderName, listed, relatedTo } from "../naming.js";
import { aboutPolicy, type LintContext, type LintRule } from "../rule.js";

/** A NetworkPolicy that isolates pods from traffic which rules of a higher tier allow. */
export const overriddenIsolation: LintRule = {
  code: "TW4105",
  *check(context) {
    for (const override of context.proofs.overrides)
      if (override.intent === "isolates") yield overridden(override, context);
  },
};

function overridden({ policy, direction, by, ...much }: Override, { engine }: LintContext): Finding {
  const flow = by[0]!.example();
  const rules = by.map(({ rule }) => rule);
  return finding(
    "TW4105",
    `${formatPolicy(policy)} isolates its pods for ${direction}, but in this cluster ${listed(rules.map(deciderName))} ${rules.length === 1 ? "allows" : "allow"} some of that traffic in a higher tier, for ${affected(much)}`,
    {
      ...aboutPolicy(policy),
      witness: {
        kind: "flow",
        flow,
        verdict: engine.verdict(flow),
        text: `${direction} is allowed by ${deciderName(rules[0]!)} before isolation applies`,
      },
      related: relatedTo(rules),
      hint: "A namespace cannot override an Allow of a higher tier. If namespaces may deny this traffic, the rule should Pass it.",
    },
  );
}
