import type { Rule, Tiers } from "./model.js";

/** The tiers without one rule. Its policy isolates as before. */
export function withoutRule(tiers: Tiers, rule: Rule): Tiers {
  const { direction } = rule.origin;
  return {
    ...tiers,
    [direction]: tiers[direction].map((tier) =>
      tier.rules.includes(rule) ? { ...tier, rules: tier.rules.filter((other) => other !== rule) } : tier,
    ),
  };
}
