import { formatRule } from "../../../policy/describe.js";
import type { RuleProof } from "../../proof/rule-proofs.js";
import { type Finding, finding } from "../finding.js";
import { listed, deciderName, relatedTo, where } from "../naming.js";
import { aboutRule, type LintRule } from "../rule.js";

/** A rule whose traffic is decided before its tier is asked: by rules there, or by isolation. */
export const unreachedRule: LintRule = {
  code: "TW4102",
  *check(context) {
    for (const proof of context.proofs.ofRules) if (proof.kind === "unreached") yield unreached(proof);
  },
};

function unreached({ rule, tier, by, always }: Extract<RuleProof, { kind: "unreached" }>): Finding {
  const deciders = always === undefined ? by : [always];
  return finding(
    "TW4102",
    `${formatRule(rule.origin)} in tier ${tier} is never reached: ${listed(deciders.map(deciderName))} decide${deciders.length === 1 ? "s" : ""} all that it matches before, ${where(always)}`,
    {
      ...aboutRule(rule),
      related: relatedTo(deciders),
      hint: "Nothing changes if it is taken out. If it should count, let the tiers before leave its traffic alone: narrow what they match, or Pass it.",
    },
  );
}
