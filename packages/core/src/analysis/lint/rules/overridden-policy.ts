import { formatPolicy, type Rule } from "../../../policy/model.js";
import type { Override } from "../../proof/override.js";
import { type Finding, finding } from "../finding.js";
import { actionVerbs, affected, deciderName, listed, relatedTo } from "../naming.js";
import { aboutPolicy, type LintContext, type LintRule } from "../rule.js";
import { shownProof } from "./shadowed-rule.js";

/** A NetworkPolicy that allows or denies traffic which a higher tier decides otherwise. */
export const overriddenPolicy: LintRule = {
  code: "TW4104",
  *check(context) {
    const { ofRules, overrides } = context.proofs;
    const unreached = new Set(
      ofRules.flatMap((proof) => (shownProof(proof).kind === "unreached" ? proof.rule : [])),
    );
    for (const override of overrides)
      if (override.intent !== "isolates" && rulesOf(override, context).some((rule) => !unreached.has(rule)))
        yield overridden(override, context);
  },
};

/** The rules that are concerned. TW4102 reports those that are never reached. */
function rulesOf({ policy, direction, intent }: Override, { rulesByPolicy }: LintContext): readonly Rule[] {
  const action = intent === "allows" ? "Allow" : "Deny";
  const all = (rulesByPolicy.get(policy) ?? []).map(({ rule }) => rule);
  return all.filter((rule) => rule.origin.direction === direction && rule.action === action);
}

function overridden({ policy, direction, intent, by, ...much }: Override, { engine }: LintContext): Finding {
  const flow = by[0]!.example();
  const rules = by.map(({ rule }) => rule);
  const { action } = rules[0]!;
  const verb = actionVerbs[action][rules.length === 1 ? "one" : "many"];
  return finding(
    "TW4104",
    `${formatPolicy(policy)} is overridden in this cluster: it ${intent} ${direction} that ${listed(rules.map(deciderName))} ${verb} in a higher tier, for ${affected(much)}`,
    {
      ...aboutPolicy(policy),
      witness: {
        kind: "flow",
        flow,
        verdict: engine.verdict(flow),
        text: `${deciderName(rules[0]!)} ${actionVerbs[action].one} it, and this policy ${intent} it`,
      },
      related: relatedTo(rules),
      hint: "If the higher tier should win, narrow this policy to the traffic that it can decide. Otherwise, Pass what namespaces may decide in the higher tier.",
    },
  );
}
