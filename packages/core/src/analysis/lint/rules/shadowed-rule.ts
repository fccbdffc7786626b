import { formatRule } from "../../../policy/describe.js";
import { type Isolation, type Rule, type TierName } from "../../../policy/model.js";
import type { RuleProof } from "../../proof/rule-proofs.js";
import { type Finding, finding } from "../finding.js";
import { actionVerbs, deciderName, listed, relatedTo } from "../naming.js";
import { aboutRule, type LintRule } from "../rule.js";

/** A rule after others of its tier that match everything that it matches. */
export const shadowedRule: LintRule = {
  code: "TW4101",
  *check(context) {
    for (const proof of context.proofs.ofRules)
      if (shownProof(proof).kind === "shadowed" && !onlyRepeats(proof)) yield shadowed(proof);
  },
};

/** What is reported of a rule. */
export interface ShownProof {
  readonly kind: "shadowed" | "unreached" | "redundant";
  readonly inEveryCluster: boolean;
  /** The rules that make it so. */
  readonly by: readonly (Rule | Isolation)[];
}

/** What holds in every cluster. But that a rule never decides in this one says more than that others decide the same. */
export function shownProof({ here, everywhere }: RuleProof): ShownProof {
  const neverDecides = here !== undefined && here.kind !== "redundant";
  if (everywhere !== undefined && !(neverDecides && everywhere.kind === "redundant"))
    return { ...everywhere, inEveryCluster: true };
  return { kind: "redundant", by: [], ...here, inEveryCluster: false };
}

/** Where all rules of a tier allow, their order does not matter: such a rule repeats what others allow. */
export function onlyRepeats(proof: RuleProof): boolean {
  const { kind, by } = shownProof(proof);
  const isSame = (decider: Rule | Isolation) => "action" in decider && decider.action === proof.rule.action;
  return kind === "shadowed" && !isOrdered(proof.tier) && by.every(isSame);
}

/** Whether users choose which rule comes first; the other tiers order rules by their actions. */
const isOrdered = (tier: TierName): boolean => tier === "admin" || tier === "baseline";

function shadowed(proof: RuleProof): Finding {
  const { rule, tier } = proof;
  const { by: deciders, inEveryCluster } = shownProof(proof);
  const [comes, matches] = deciders.length === 1 ? ["comes", "matches"] : ["come", "match"];
  const where = inEveryCluster ? "in every cluster" : "in this cluster";
  return finding(
    "TW4101",
    `${formatRule(rule.origin)} is shadowed ${where}: ${listed(deciders.map(deciderName))} ${comes} before it in tier ${tier} and ${matches} everything that it matches`,
    {
      ...aboutRule(rule),
      related: relatedTo(deciders),
      hint: hintFor(rule, tier, deciders),
    },
  );
}

function hintFor(rule: Rule, tier: TierName, deciders: readonly (Rule | Isolation)[]): string {
  const differing = deciders.find(
    (decider): decider is Rule => "action" in decider && decider.action !== rule.action,
  );
  if (differing === undefined) return "Remove it: earlier rules decide its traffic in the same way.";
  const exception = isOrdered(tier) ? "move it before that rule" : "narrow that rule";
  return `It would ${actionVerbs[rule.action].many} what ${deciderName(differing)} ${actionVerbs[differing.action].one}. If it is meant as an exception, ${exception}; otherwise, remove it.`;
}
