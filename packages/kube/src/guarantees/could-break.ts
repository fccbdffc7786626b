import type { Guarantee } from "@tierwall/core/prove";
import type { PolicyRef } from "@tierwall/core/model";
import type { PolicyDefinition } from "@tierwall/core/state";

/** A policy before an edit and after it; absent where it does not exist. */
export interface EditedPolicy {
  readonly before?: PolicyDefinition | undefined;
  readonly after?: PolicyDefinition | undefined;
}

/** Whether a guarantee takes a policy as it is written: what namespace owners may replace is not part of the claim (S11.2). */
export function isFixed({ claim }: Pick<Guarantee, "claim">, { dialect, namespace }: PolicyRef): boolean {
  const { networkPolicies, ciliumNetworkPolicies = networkPolicies } = claim.whatever;
  if (dialect === "network-policy") return networkPolicies !== "anything";
  return dialect !== "cilium" || namespace === undefined || ciliumNetworkPolicies !== "anything";
}

/**
 * Whether an edit could break a guarantee that holds. A rule that denies, added anywhere, never lets more through; the same is true of
 * a rule that allows and is removed. For guarantees that something is allowed, it is the other way round.
 */
export function couldBreak(guarantee: Pick<Guarantee, "claim">, { before, after }: EditedPolicy): boolean {
  const { verdict } = guarantee.claim;
  // Whether there are policies of Cilium decides what namespace owners may write (S11.2).
  if ((before ?? after)?.policy.dialect === "cilium") return true;
  const parts = (definition: PolicyDefinition | undefined) =>
    definition === undefined || !isFixed(guarantee, definition.policy) ? [] : effectsOf(definition);
  const harmless = verdict === "Deny" ? "denies" : "allows";
  const opposite = verdict === "Deny" ? "allows" : "denies";
  return parts(after).some((part) => part !== harmless) || parts(before).some((part) => part !== opposite);
}

/** What each part of a policy does to the connections that it matches. */
function effectsOf({ lowered }: PolicyDefinition): readonly ("allows" | "denies" | "other")[] {
  const rules = lowered.rules.map(({ rule }) => {
    if (rule.condition !== undefined || rule.action === "Pass") return "other";
    return rule.action === "Allow" ? "allows" : "denies";
  });
  return [...rules, ...lowered.isolation.map(() => "denies" as const)];
}
