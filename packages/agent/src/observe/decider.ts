import { formatPolicy, formatRule } from "@tierwall/core/model";
import type { BookEntry } from "../ruleset/program.js";
import { policiesBehind } from "./modes.js";

/** Who decides, as metrics, logs and reports say it: plain data, which outlives the policy it speaks of. */
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
  const decider = known.get(entry) ?? describe(entry);
  known.set(entry, decider);
  return decider;
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

/** `NetworkPolicy shop/web`, and how many more where several isolate together. */
export function policyText({ policies: [first, ...more] }: Pick<Decider, "policies">): string {
  if (first === undefined) return "an option of the agent";
  return `${formatPolicy(first)}${more.length === 0 ? "" : ` and ${more.length} more`}`;
}

/** `Deny`; and `ShadowDeny` for what would be one, so that nobody counts it among the drops. */
export function verdictText({ verdict, shadow }: Pick<Decider, "verdict" | "shadow">): string {
  return shadow ? `Shadow${verdict}` : verdict;
}
