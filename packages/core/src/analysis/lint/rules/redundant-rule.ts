import { formatRule } from "../../../policy/describe.js";
import { type Isolation, type Rule, type TierName, tierNames } from "../../../policy/model.js";
import type { Decider } from "../../../evaluate/walk.js";
import type { Replacement, RuleProof } from "../../proof/rule-proofs.js";
import { type Finding, finding } from "../finding.js";
import { verdictWords } from "../../verdict-words.js";
import { actionVerbs, deciderName, listed, relatedTo } from "../naming.js";
import { aboutRule, type LintContext, type LintRule } from "../rule.js";
import { onlyRepeats, shownProof } from "./shadowed-rule.js";

/** A rule without which every connection would be decided as it is. */
export const redundantRule: LintRule = {
  code: "TW4103",
  *check(context) {
    for (const proof of context.proofs.ofRules)
      if (onlyRepeats(proof)) yield repeated(proof);
      else if (shownProof(proof).kind === "redundant") yield redundant(proof, context);
  },
};

function redundant({ rule, tier, here, everywhere }: RuleProof, { engine }: LintContext): Finding {
  const example = here?.kind === "redundant" ? here : undefined;
  const shown = example && witnessOf(rule, example.example(), engine);
  const isGuardrail =
    everywhere === undefined && example?.because === "other tiers" && isBeforeNamespaces(tier);
  return finding("TW4103", `${formatRule(rule.origin)} is redundant ${reasonFor(example, everywhere)}`, {
    ...aboutRule(rule),
    ...(shown && { witness: shown.witness }),
    related: relatedTo(everywhere?.by ?? shown?.deciders ?? []),
    hint: isGuardrail ? guardrailHint(rule) : hintFor(rule),
  });
}

function reasonFor(
  here: Extract<RuleProof["here"], { kind: "redundant" }> | undefined,
  everywhere: RuleProof["everywhere"],
): string {
  if (everywhere === undefined)
    return `in this cluster: without it, ${here?.because === "its tier" ? "its tier decides" : "other tiers decide"} every connection in the same way`;
  const { by } = everywhere;
  const deciders = by.length === 0 ? "the default" : listed(by.map(deciderName));
  return `in every cluster: without it, ${deciders} ${by.length > 1 ? "decide" : "decides"} its traffic in the same way`;
}

function witnessOf(rule: Rule, { flow, instead }: Replacement, engine: LintContext["engine"]) {
  const deciders = decidingParts(instead.by);
  const text = `this rule ${actionVerbs[rule.action].one} it; without the rule, it is ${verdictWords[instead.verdict]} by ${deciders.length === 0 ? "default" : listed(deciders.map(deciderName))}`;
  return { deciders, witness: { kind: "flow", flow, verdict: engine.verdict(flow), text } as const };
}

function repeated(proof: RuleProof): Finding {
  const { rule } = proof;
  const { by: deciders, inEveryCluster } = shownProof(proof);
  const where = inEveryCluster ? "in every cluster" : "in this cluster";
  const verb = actionVerbs[rule.action][deciders.length === 1 ? "one" : "many"];
  return finding(
    "TW4103",
    `${formatRule(rule.origin)} is redundant ${where}: ${listed(deciders.map(deciderName))} ${verb} everything that it ${actionVerbs[rule.action].one}`,
    {
      ...aboutRule(rule),
      related: relatedTo(deciders),
      hint: hintFor(rule),
    },
  );
}

/** Whether no policy of a namespace can override the tier. */
const isBeforeNamespaces = (tier: TierName): boolean =>
  tierNames.indexOf(tier) < tierNames.indexOf("network-policy");

function guardrailHint({ action }: Rule): string {
  return action === "Pass"
    ? "Its tier and later tiers agree today. If one of them changes, the rule is needed again."
    : "Namespace owners can change their own policies. Keep the rule if it is a guardrail against that.";
}

function decidingParts(by: Decider): readonly (Rule | Isolation)[] {
  if (by.kind === "rule") return [by.rule];
  return by.kind === "isolation" ? by.isolation : [];
}

/** Two rules that repeat each other are both reported; and a policy may isolate only because it has rules. */
function hintFor({ origin }: Rule): string {
  const alone = "Remove it. If two rules repeat each other, keep one of them.";
  switch (origin.policy.dialect) {
    case "network-policy":
      return `${alone} Keep \`policyTypes\` as it is in effect now, so that the policy isolates as before.`;
    case "cilium":
      return `${alone} If it is the last of its section, set \`enableDefaultDeny\`, so that the policy isolates as before.`;
    case "cluster-network-policy":
    case "admin-network-policy":
    case "kep-2091":
    case "first-draft":
    case "foreign":
      return alone;
  }
}
