import { getOrInsert } from "../collections/maps.js";
import {
  type DialectId,
  type Direction,
  type Isolation,
  type IsolationOrigin,
  type PodSelection,
  type PolicyRef,
  type Rule,
  type Tier,
  type TierName,
  type Tiers,
  tierNames,
} from "./model.js";

/** What one policy contributes: rules and isolations, each with its place in the order of its tier. */
export interface Lowered {
  readonly rules: readonly PlacedRule[];
  readonly isolation: readonly PlacedIsolation[];
}

export interface PlacedRule {
  readonly tier: TierName;
  /** Parts of a tier by action: Empower before Deny (S6.1), Deny before Allow (S7.1). Lower first. */
  readonly rank: number;
  /** S1.12: 0 first. APIs without priorities use one value for all. */
  readonly precedence: number;
  readonly rule: Rule;
}

/** The parts of a tier, in the order in which they are evaluated whatever their priority. */
export const ranks = {
  guardrail: { empower: 0, deny: 1 },
  /** Tiers that are ordered by priority, and those whose rules all allow. */
  only: 0,
  /** S7.1, S7.7: rules that deny, then that may deny, then that allow under a condition, then that allow. */
  networkPolicy: { deny: 0, failingAuthentication: 1, authentication: 2, conditionalAllow: 3, allow: 4 },
} as const;

export interface PlacedIsolation {
  readonly tier: TierName;
  readonly direction: Direction;
  readonly subject: PodSelection;
  readonly origin: IsolationOrigin;
}

/** The order of dialects within a tier, as in the table of tiers (S1.12). */
const dialectOrder: Record<DialectId, number> = {
  "first-draft": 0,
  "cluster-network-policy": 1,
  "admin-network-policy": 2,
  "kep-2091": 3,
  "network-policy": 4,
  cilium: 5,
  foreign: 6,
};

/** Puts the parts of all policies in the order in which they are evaluated. The order of the input does not matter. */
export function assembleTiers(parts: readonly Lowered[]): Tiers {
  const rules = parts.flatMap((part) => part.rules).toSorted(compareRules);
  const isolation = parts.flatMap((part) => part.isolation).toSorted(compareIsolation);
  return { ingress: tiersOf("ingress", rules, isolation), egress: tiersOf("egress", rules, isolation) };
}

export function tiersOf(
  direction: Direction,
  rules: readonly PlacedRule[],
  isolation: readonly PlacedIsolation[],
): readonly Tier[] {
  return tierNames
    .map((name) => ({
      name,
      rules: rules.filter((r) => r.tier === name && r.rule.origin.direction === direction).map((r) => r.rule),
      isolation: isolation.filter((i) => i.tier === name && i.direction === direction).map(isolationOf),
    }))
    .filter((tier) => tier.rules.length > 0 || tier.isolation.length > 0);
}

/** The same object each time: incremental updates compare by identity. */
function isolationOf(placed: PlacedIsolation): Isolation {
  const { subject, origin } = placed;
  return getOrInsert(isolations, placed, () => ({ subject, origin }));
}

const isolations = new WeakMap<PlacedIsolation, Isolation>();

// S1.12: precedence, then dialect, then policy name, then position.
export function compareRules(a: PlacedRule, b: PlacedRule): number {
  const [x, y] = [a.rule.origin, b.rule.origin];
  return (
    a.rank - b.rank ||
    a.precedence - b.precedence ||
    comparePolicies(x.policy, y.policy) ||
    comparePaths(x.path, y.path)
  );
}

/** The order of policies that have the same precedence. */
export function comparePolicies(a: PolicyRef, b: PolicyRef): number {
  return (
    dialectOrder[a.dialect] - dialectOrder[b.dialect] ||
    compareText(a.kind, b.kind) ||
    compareText(a.name, b.name) ||
    compareText(a.namespace ?? "", b.namespace ?? "")
  );
}

/** Isolation by an option comes before that by policies. */
export function compareIsolation({ origin: a }: PlacedIsolation, { origin: b }: PlacedIsolation): number {
  if (a.kind === "policy" && b.kind === "policy") return comparePolicies(a.policy, b.policy);
  return Number(a.kind === "policy") - Number(b.kind === "policy");
}

/** Byte order, the same on every machine; locales differ. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `spec.ingress[2]` before `spec.ingress[10]`. */
function comparePaths(a: string, b: string): number {
  const [x, y] = [a, b].map((path) => path.split(/(\d+)/));
  for (let i = 0; i < Math.min(x!.length, y!.length); i++) {
    const order = i % 2 === 1 ? Number(x![i]) - Number(y![i]) : compareText(x![i]!, y![i]!);
    if (order !== 0) return order;
  }
  return x!.length - y!.length;
}
