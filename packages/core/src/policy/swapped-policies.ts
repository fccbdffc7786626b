import type { Direction, PolicyRef, Rule, Tiers } from "./model.js";

/** The rules of two policies in each other's place, and all others where they were. */
export function swappedPolicies(tiers: Tiers, first: PolicyRef, second: PolicyRef): Tiers {
  const swapIn = (rules: readonly Rule[]): readonly Rule[] => {
    const of = (policy: PolicyRef) => rules.filter(({ origin }) => origin.policy === policy);
    const [a, b] = [of(first), of(second)];
    if (a.length === 0 || b.length === 0) return rules;
    return rules.flatMap((rule) =>
      rule === a[0] ? b : rule === b[0] ? a : a.includes(rule) || b.includes(rule) ? [] : rule,
    );
  };
  const swapAll = (direction: Direction) =>
    tiers[direction].map((tier) => ({ ...tier, rules: swapIn(tier.rules) }));
  return { ingress: swapAll("ingress"), egress: swapAll("egress") };
}
