import type { LintContext, PlacedRule } from "./rule.js";
import { rulesOf } from "./rule.js";

/** Rules that administrators put above what namespace owners write. */
export function guardrailsIn(context: LintContext): readonly PlacedRule[] {
  return [...rulesOf(context.state.tiers)].filter(isGuardrail);
}

/** The baseline is no guardrail: NetworkPolicies come before it. Cilium's denials come before every allow (S7.1). */
function isGuardrail({ tier, rule }: PlacedRule): boolean {
  const { policy } = rule.origin;
  const isAbove = tier === "guardrail" || tier === "guardrail-allow" || tier === "admin";
  return isAbove || (policy.kind === "CiliumClusterwideNetworkPolicy" && rule.action === "Deny");
}
