import { formatRule } from "../../../policy/describe.js";
import { type Rule, type TierName, tierNames } from "../../../policy/model.js";
import type { Decider } from "../../../evaluate/walk.js";
import type { RuleProof } from "../../proof/rule-proofs.js";
import { type Finding, finding } from "../finding.js";
import { verdictWords } from "../../verdict-words.js";
import { listed, deciderName, relatedTo, says, where } from "../naming.js";
import { aboutRule, type LintContext, type LintRule } from "../rule.js";
import { onlyRepeats } from "./shadowed-rule.js";

/** A rule without which every connection would be decided as it is. */
export const redundantRule: LintRule = {
  code: "TW4103",
  *check(context) {
    for (const proof of context.proofs.ofRules)
      if (proof.kind === "redundant") yield redundant(proof, context);
      else if (proof.kind === "shadowed" && onlyRepeats(proof)) yield repeated(proof);
  },
};

function redundant(
  { rule, tier, because, example }: Extract<RuleProof, { kind: "redundant" }>,
  { engine }: LintContext,
): Finding {
  const { flow, instead } = example();
  const isGuardrail = because === "other tiers" && isBeforeNamespaces(tier);
  return finding(
    "TW4103",
    `${formatRule(rule.origin)} changes nothing${isGuardrail ? " today" : ""}: without it, ${because} ${because === "its tier" ? "says" : "say"} the same of every connection in this cluster`,
    {
      ...aboutRule(rule),
      witness: {
        kind: "flow",
        flow,
        verdict: engine.verdict(flow),
        text: `this rule ${says[rule.action].one} it; without it, it is ${verdictWords[instead.verdict]} by ${inWords(instead.by)}`,
      },
      related: relatedTo(decidingParts(instead.by)),
      hint: isGuardrail ? guardrailHint(rule) : hintFor(rule),
    },
  );
}

function repeated({ rule, by, always }: Extract<RuleProof, { kind: "shadowed" }>): Finding {
  const deciders = always === undefined ? by : [always];
  const verb = says[rule.action][deciders.length === 1 ? "one" : "many"];
  return finding(
    "TW4103",
    `${formatRule(rule.origin)} changes nothing: ${listed(deciders.map(deciderName))} ${verb} all of it as well, ${where(always)}`,
    {
      ...aboutRule(rule),
      related: relatedTo(deciders),
      hint: hintFor(rule),
    },
  );
}

/** What a tier says that no policy of a namespace can take back. */
const isBeforeNamespaces = (tier: TierName): boolean =>
  tierNames.indexOf(tier) < tierNames.indexOf("network-policy");

function guardrailHint({ action }: Rule): string {
  return action === "Pass"
    ? "Its tier and those behind it agree today. Once they do not, it has a use again."
    : "Namespaces may change their own policies: as a guardrail against that, it still has a use.";
}

function inWords(by: Decider): string {
  switch (by.kind) {
    case "rule":
      return deciderName(by.rule);
    case "isolation":
      return listed(by.isolation.map(deciderName));
    case "default":
    case "no-walk":
    case "own-address":
    case "own-node":
      return "the default";
  }
}

function decidingParts(by: Decider) {
  if (by.kind === "rule") return [by.rule];
  return by.kind === "isolation" ? by.isolation : [];
}

/** Two that repeat each other are both found; and a policy that isolates may do so only because it has rules. */
function hintFor({ origin }: Rule): string {
  const alone = "It can go by itself; where two rules repeat each other, one of them has to stay.";
  switch (origin.policy.dialect) {
    case "network-policy":
      return `${alone} Leave \`policyTypes\` as it works now, so that the policy isolates as before.`;
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
