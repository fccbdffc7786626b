import { annotatedChoice, formatPolicy, formatRule, type PolicyRef } from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";
import type { BookEntry, ModesOf } from "../ruleset/program.js";

/** The rule or isolation that decides, for metrics, logs and reports. Plain data, which outlives its policy. */
export interface Decider {
  readonly policies: readonly PolicyName[];
  /** `rule 3 "no-other-tenants"`, or `isolation`. */
  readonly rule: string;
  readonly direction: "ingress" | "egress";
  readonly tier: string;
  readonly verdict: "Allow" | "Deny" | "Pass";
  readonly shadow: boolean;
}

interface PolicyName {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

const known = new WeakMap<BookEntry, Decider>();

export function deciderOf(entry: BookEntry): Decider {
  return getOrInsert(known, entry, () => describe(entry));
}

function describe(entry: BookEntry): Decider {
  const { direction, tier, verdict, shadow, by } = entry;
  const policies = policiesBehind(entry).map(({ kind, namespace, name }) => ({
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
  }));
  const rule = by.kind === "rule" ? ruleInItsPolicy(by.rule.origin) : "isolation";
  return { policies, rule, direction, tier, verdict, shadow };
}

function ruleInItsPolicy(origin: Parameters<typeof formatRule>[0]): string {
  return formatRule(origin).slice(formatPolicy(origin.policy).length + 1);
}

/** `NetworkPolicy shop/web`, and how many more if several isolate together. */
export function policyText({ policies: [first, ...more] }: Pick<Decider, "policies">): string {
  if (first === undefined) return "an option of the agent";
  return `${formatPolicy(first)}${more.length === 0 ? "" : ` and ${more.length} more`}`;
}

/** `Deny`, or `ShadowDeny` in shadow mode, so that it is not counted as a dropped packet. */
export function verdictText({ verdict, shadow }: Pick<Decider, "verdict" | "shadow">): string {
  return shadow ? `Shadow${verdict}` : verdict;
}

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
