import { formatRule } from "../../../policy/describe.js";
import type { RuleProof } from "../../proof/rule-proofs.js";
import { type Finding, finding } from "../finding.js";
import { listed, takerText, relatedTo, where } from "../naming.js";
import { aboutRule, type LintRule } from "../rule.js";

/** A rule whose traffic is decided before its tier is asked: by rules there, or by isolation. */
export const unreachedRule: LintRule = {
  code: "TW4102",
  *check(context) {
    for (const proof of context.proofs.ofRules) if (proof.kind === "unreached") yield unreached(proof);
  },
};

function unreached({ rule, tier, by, always }: Extract<RuleProof, { kind: "unreached" }>): Finding {
  const takers = always === undefined ? by : [always];
  return finding(
    "TW4102",
    `${formatRule(rule.origin)} in tier ${tier} is never reached: ${listed(takers.map(takerText))} decide${takers.length === 1 ? "s" : ""} all that it matches before, ${where(always)}`,
    {
      ...aboutRule(rule),
      related: relatedTo(takers),
      hint: "Nothing changes if it is taken out. If it should count, let the tiers before leave its traffic alone: narrow what they match, or Pass it.",
    },
  );
}
