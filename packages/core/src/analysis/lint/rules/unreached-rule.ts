import { formatRule } from "../../../policy/describe.js";
import type { RuleProof } from "../../proof/rule-proofs.js";
import { type Finding, finding } from "../finding.js";
import { deciderName, listed, relatedTo } from "../naming.js";
import { aboutRule, type LintRule } from "../rule.js";
import { shownProof } from "./shadowed-rule.js";

/** A rule whose traffic is decided before its tier is evaluated: by rules of earlier tiers, or by isolation. */
export const unreachedRule: LintRule = {
  code: "TW4102",
  *check(context) {
    for (const proof of context.proofs.ofRules)
      if (shownProof(proof).kind === "unreached") yield unreached(proof);
  },
};

function unreached(proof: RuleProof): Finding {
  const { rule, tier } = proof;
  const { by: deciders, inEveryCluster } = shownProof(proof);
  const where = inEveryCluster ? "in any cluster" : "in this cluster";
  return finding(
    "TW4102",
    `${formatRule(rule.origin)} in tier ${tier} is never reached ${where}: ${listed(deciders.map(deciderName))} already ${deciders.length === 1 ? "decides" : "decide"} everything that it matches`,
    {
      ...aboutRule(rule),
      related: relatedTo(deciders),
      hint: "Removing it changes nothing. If it should apply, let the earlier tiers leave its traffic undecided: narrow their rules, or Pass it.",
    },
  );
}
