import { formatPolicy, type Rule } from "../../../policy/model.js";
import type { Override } from "../../proof/override.js";
import { type Finding, finding } from "../finding.js";
import { howMuch, listed, deciderName, relatedTo, says } from "../naming.js";
import { aboutPolicy, type LintContext, type LintRule } from "../rule.js";

/** A NetworkPolicy that says something of its own, and is not heard. */
export const overriddenPolicy: LintRule = {
  code: "TW4104",
  *check(context) {
    const proofs = context.proofs;
    const unreached = new Set(proofs.ofRules.flatMap(({ kind, rule }) => (kind === "unreached" ? rule : [])));
    for (const override of proofs.overrides)
      if (override.intent !== "isolates" && rulesOf(override, context).some((rule) => !unreached.has(rule)))
        yield overridden(override, context);
  },
};

/** The rules that are concerned. Of those that are never reached at all, another finding tells. */
function rulesOf({ policy, direction, intent }: Override, { rulesByPolicy }: LintContext): readonly Rule[] {
  const action = intent === "allows" ? "Allow" : "Deny";
  const all = (rulesByPolicy.get(policy) ?? []).map(({ rule }) => rule);
  return all.filter((rule) => rule.origin.direction === direction && rule.action === action);
}

function overridden({ policy, direction, intent, by, ...much }: Override, { engine }: LintContext): Finding {
  const flow = by[0]!.example();
  const rules = by.map(({ rule }) => rule);
  const { action } = rules[0]!;
  const verb = says[action][rules.length === 1 ? "one" : "many"];
  return finding(
    "TW4104",
    `${formatPolicy(policy)} ${intent} ${direction} that ${listed(rules.map(deciderName))} ${verb} before it is asked: ${howMuch(much)}`,
    {
      ...aboutPolicy(policy),
      witness: {
        kind: "flow",
        flow,
        verdict: engine.verdict(flow),
        text: `${deciderName(rules[0]!)} ${says[action].one} it, and this policy ${intent} it`,
      },
      related: relatedTo(rules),
      hint: "If the cluster's rules are meant to win, narrow this policy to what it can decide. If not, have them Pass what namespaces may decide.",
    },
  );
}
