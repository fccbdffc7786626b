import { annotatedChoice, type PolicyRef } from "@tierwall/core/model";
import type { BookEntry, ModesOf } from "../ruleset/program.js";

/** Unknown values are ignored; reading the policy reported them (TW2024). */
export const modesOf: ModesOf = (policy) => ({
  audit: annotatedChoice(policy, "audit"),
  shadow: annotatedChoice(policy, "enforcement") === "shadow",
});

/** The policies behind a decision: one, or all that isolate. */
export function policiesBehind({ by }: Pick<BookEntry, "by">): readonly PolicyRef[] {
  return by.kind === "rule"
    ? [by.rule.origin.policy]
    : by.isolation.flatMap(({ origin }) => (origin.kind === "policy" ? [origin.policy] : []));
}

/** Whether its decisions are logged. If several policies isolate together, one that asks for it is enough. */
export function isLogged(entry: Pick<BookEntry, "by" | "verdict">, modes: ModesOf = modesOf): boolean {
  const policies = policiesBehind(entry);
  // Isolation by an option of the command has no policy with annotations.
  if (policies.length === 0) return entry.verdict === "Deny";
  return policies.some((policy) => {
    const { audit } = modes(policy);
    return audit === "all" || (audit === "denied" && entry.verdict === "Deny");
  });
}
