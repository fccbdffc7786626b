import type { Diagnostic } from "@tierwall/core";
import { listed } from "@tierwall/core/analysis";
import { formatPath } from "@tierwall/core/manifest";
import type { PolicyRef, Rule, Tiers } from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";
import type { Statement } from "./condition.js";

/** Codes of what is not understood: a part that fails closed, and a policy that is not enforced at all (S3.6). */
const partNotUnderstood = "TW2015";
const notEnforced = "TW2016";

/** Whether all of a policy is understood, and if not, which field is not and how the policy is taken. */
export function acceptedOf(complaints: readonly Diagnostic[], failedRules: readonly Rule[]): Statement {
  const whole = complaints.filter(({ code }) => code === notEnforced);
  const parts = complaints.filter(({ code }) => code === partNotUnderstood);
  if (whole.length > 0) return refused("NotEnforced", [...parts, ...whole].map(complaintText));
  if (parts.length > 0)
    return refused("NotUnderstood", [...parts.map(complaintText), ...failedRules.map(failedText)]);
  const others = complaints.filter(({ severity }) => severity === "warning");
  return {
    type: "Accepted",
    status: "True",
    reason: others.length === 0 ? "Understood" : "UnderstoodWithWarnings",
    message: others.length === 0 ? "all of it is understood" : listed(others.map(complaintText), mostShown),
  };
}

/** More warnings than that usually have one cause. */
const mostShown = 10;

const refused = (reason: string, texts: readonly string[]): Statement => ({
  type: "Accepted",
  status: "False",
  reason,
  message: texts.slice(0, 2 * mostShown).join("; "),
});

function complaintText({ path = [], message }: Diagnostic): string {
  return path.length === 0 ? message : `${formatPath(path)}: ${message}`;
}

const failedText = ({ origin, failedClosed }: Rule): string => `${origin.path}: ${failedClosed}`;

/** The rules of each policy that are not what was written; only of those that have some. */
export function failedRulesIn(tiers: Tiers): ReadonlyMap<PolicyRef, readonly Rule[]> {
  const found = new Map<PolicyRef, Rule[]>();
  for (const { rules } of [...tiers.ingress, ...tiers.egress])
    for (const rule of rules)
      if (rule.failedClosed !== undefined) getOrInsert(found, rule.origin.policy, () => []).push(rule);
  return found;
}
