import { getOrInsert } from "../../collections/maps.js";
import { comparePolicies } from "../../policy/assemble.js";
import type { PolicyRef, TierName, Tiers } from "../../policy/model.js";

/** Policies of one tier with one precedence: their order is that of their APIs and names (S1.13). */
export interface SharedPriority {
  readonly tier: TierName;
  readonly precedence: number;
  /** In the order of evaluation. */
  readonly policies: readonly PolicyRef[];
}

export function sharedPriorities(tiers: Tiers): readonly SharedPriority[] {
  const groups = new Map<string, { tier: TierName; precedence: number; policies: Set<PolicyRef> }>();
  for (const direction of ["ingress", "egress"] as const)
    for (const { name: tier, rules } of tiers[direction])
      for (const { origin } of rules) {
        const { policy, precedence } = origin;
        // S4.1: there is one of these, and it has no priority.
        if (precedence === undefined || policy.kind === "BaselineAdminNetworkPolicy") continue;
        const key = `${tier} ${precedence}`;
        getOrInsert(groups, key, () => ({ tier, precedence, policies: new Set<PolicyRef>() })).policies.add(
          policy,
        );
      }
  return [...groups.values()]
    .filter(({ policies }) => policies.size > 1)
    .map(({ policies, ...rest }) => ({ ...rest, policies: [...policies].toSorted(comparePolicies) }));
}
