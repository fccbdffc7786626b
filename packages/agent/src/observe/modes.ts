import { annotatedChoice, type PolicyRef } from "@tierwall/core/model";
import type { BookEntry, ModesOf } from "../ruleset/program.js";

/** Values that are not known count as not said; reading the policy has warned of them (TW2024). */
export const modesOf: ModesOf = (policy) => ({
  audit: annotatedChoice(policy, "audit"),
  shadow: annotatedChoice(policy, "enforcement") === "shadow",
});

/** Whose decision it is: of one policy, or of all that isolate. */
export function policiesBehind({ by }: Pick<BookEntry, "by">): readonly PolicyRef[] {
  return by.kind === "rule"
    ? [by.rule.origin.policy]
    : by.isolation.flatMap(({ origin }) => (origin.kind === "policy" ? [origin.policy] : []));
}

/** Whether its decisions are logged: where several policies isolate together, one that asks for it is enough. */
export function isLogged(entry: Pick<BookEntry, "by" | "verdict">, modes: ModesOf = modesOf): boolean {
  const policies = policiesBehind(entry);
  // Isolation by an option of the command has nobody to annotate.
  if (policies.length === 0) return entry.verdict === "Deny";
  return policies.some((policy) => {
    const { audit } = modes(policy);
    return audit === "all" || (audit === "denied" && entry.verdict === "Deny");
  });
}
