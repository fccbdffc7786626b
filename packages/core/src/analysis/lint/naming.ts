import { formatRule } from "../../policy/describe.js";
import { type Action, formatPolicy, type Isolation, type PolicyRef, type Rule } from "../../policy/model.js";
import type { Related } from "./finding.js";

/** `a`, `a and b`, `a, b and 3 more`. */
export function listed(names: readonly string[], most = 3): string {
  const shown = names.length === most + 1 ? names : names.slice(0, most);
  const rest = names.length - shown.length;
  const all = rest > 0 ? [...shown, `${rest} more`] : shown;
  return all.length < 2 ? all.join() : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

/** A rule, or a policy that isolates, in words. */
export function deciderName(decider: Rule | Isolation): string {
  if ("peers" in decider) return formatRule(decider.origin);
  return `isolation by ${decider.origin.kind === "policy" ? formatPolicy(decider.origin.policy) : decider.origin.option}`;
}

/** The places of the first few. */
export function relatedTo(deciders: readonly (Rule | Isolation)[], most = 3): readonly Related[] {
  return deciders.slice(0, most).map((decider) => relatedAt(deciderName(decider), placeOf(decider)));
}

export function relatedPolicies(policies: readonly PolicyRef[], most = 3): readonly Related[] {
  return policies.slice(0, most).map((policy) => relatedAt(formatPolicy(policy), policy.place()));
}

function placeOf(decider: Rule | Isolation): Related["place"] {
  if ("peers" in decider) return decider.origin.place();
  return decider.origin.kind === "policy" ? decider.origin.policy.place() : undefined;
}

export const relatedAt = (text: string, place: Related["place"]): Related => ({
  text,
  ...(place === undefined ? {} : { place }),
});

/** What rules do, in the singular and the plural. */
export const actionVerbs: Readonly<Record<Action, { readonly one: string; readonly many: string }>> = {
  Allow: { one: "allows", many: "allow" },
  Deny: { one: "denies", many: "deny" },
  Pass: { one: "passes", many: "pass" },
};

/** `1 pair of endpoints and external addresses`. */
export function affected({
  pairs,
  external,
}: {
  readonly pairs: number;
  readonly external: boolean;
}): string {
  const inside =
    pairs === 0 ? [] : [`${pairs.toLocaleString("en-US")} ${pairs === 1 ? "pair" : "pairs"} of endpoints`];
  return [...inside, ...(external ? ["external addresses"] : [])].join(" and ");
}
