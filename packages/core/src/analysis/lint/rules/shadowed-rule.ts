import { formatRule } from "../../../policy/describe.js";
import { type Rule, type TierName } from "../../../policy/model.js";
import type { RuleProof } from "../../proof/rule-proofs.js";
import { type Finding, finding } from "../finding.js";
import { listed, deciderName, relatedTo, says, where } from "../naming.js";
import { aboutRule, type LintRule } from "../rule.js";

type Shadowed = Extract<RuleProof, { kind: "shadowed" }>;

/** A rule behind others of its tier that match all that it matches. */
export const shadowedRule: LintRule = {
  code: "TW4101",
  *check(context) {
    for (const proof of context.proofs.ofRules)
      if (proof.kind === "shadowed" && !onlyRepeats(proof)) yield shadowed(proof);
  },
};

/** Where all rules allow, none comes before another: such a rule is not in a shadow, it says what others say. */
export function onlyRepeats({ tier, rule, by, always }: Shadowed): boolean {
  const deciders = always === undefined ? by : [...by, always];
  return !isOrdered(tier) && deciders.every(({ action }) => action === rule.action);
}

/** Whether people choose which rule comes first; the other tiers order rules by what they do. */
const isOrdered = (tier: TierName): boolean => tier === "admin" || tier === "baseline";

function shadowed({ rule, tier, by, always }: Shadowed): Finding {
  const deciders = always === undefined ? by : [always];
  const [comes, matches] = deciders.length === 1 ? ["comes", "matches"] : ["come", "match"];
  return finding(
    "TW4101",
    `${formatRule(rule.origin)} never decides anything: ${listed(deciders.map(deciderName))} ${comes} before it in tier ${tier} and ${matches} all that it matches, ${where(always)}`,
    {
      ...aboutRule(rule),
      related: relatedTo(deciders),
      hint: hintFor(rule, tier, deciders),
    },
  );
}

function hintFor(rule: Rule, tier: TierName, deciders: readonly Rule[]): string {
  const differing = deciders.find(({ action }) => action !== rule.action);
  if (differing === undefined) return "It can go: what it says is said before.";
  const exception = isOrdered(tier) ? "put it before" : "narrow what comes before";
  return `It would ${says[rule.action].many} what ${deciderName(differing)} ${says[differing.action].one}: if it is meant as an exception, ${exception}; if not, it can go.`;
}
