import type { TierName } from "@tierwall/core/model";
import type { FindingView } from "../worker/questions/findings.js";
import type { ShelfView, StackedPolicy, StackedRule, StackView } from "../worker/questions/policies.js";
import type { RuleUseAnswer, UseView } from "../worker/questions/rule-use.js";
import { useKey } from "../worker/questions/use-key.js";
import type { FindingsByPlace } from "./findings-by-place.js";
import { nothing, sumOf } from "./use-words.js";

/** A line of the stack as it is shown. */
export type Row = ShelfRow | PolicyRow | RuleRow | FindingRow;

export interface ShelfRow {
  readonly kind: "shelf";
  readonly id: string;
  readonly tier: TierName;
  readonly policies: number;
  readonly rules: number;
  readonly isOpen: boolean;
}

export interface PolicyRow {
  readonly kind: "policy";
  readonly id: string;
  readonly tier: TierName;
  readonly stacked: StackedPolicy;
  readonly use?: UseView;
  readonly findings: readonly FindingView[];
  readonly isOpen: boolean;
}

export interface RuleRow {
  readonly kind: "rule";
  readonly id: string;
  readonly tier: TierName;
  readonly stacked: StackedPolicy;
  /** Isolation is the rule that no one wrote: what nothing allows is denied. */
  readonly rule: StackedRule | { readonly direction: StackedRule["direction"]; readonly path: "isolation" };
  readonly use?: UseView;
  readonly findings: readonly FindingView[];
}

export interface FindingRow {
  readonly kind: "finding";
  readonly id: string;
  readonly tier: TierName;
  readonly stacked: StackedPolicy;
  readonly finding: FindingView;
}

export interface Shown {
  /** Undefined while they are not known yet. */
  readonly uses: RuleUseAnswer | undefined;
  readonly findings: FindingsByPlace;
  /** Whether a row that can be opened is open. */
  readonly isOpen: (id: string) => boolean;
  readonly isWanted: (stacked: StackedPolicy) => boolean;
}

export function rowsOf(stack: StackView, shown: Shown): readonly Row[] {
  return stack.flatMap((shelf) => shelfRows(shelf, shown));
}

/** Isolation is in no list, so it has no path of its own. */
export const isolationName = (direction: StackedRule["direction"]): string => `isolation-${direction}`;

function shelfRows({ tier, policies }: ShelfView, shown: Shown): readonly Row[] {
  const wanted = policies.filter(shown.isWanted);
  if (wanted.length === 0) return [];
  const id = `tier ${tier}`;
  const isOpen = shown.isOpen(id);
  const rules = wanted.reduce((sum, policy) => sum + policy.rules.length, 0);
  const head: ShelfRow = { kind: "shelf", id, tier, policies: wanted.length, rules, isOpen };
  return isOpen ? [head, ...wanted.flatMap((policy) => policyRows(tier, policy, shown))] : [head];
}

function policyRows(tier: TierName, stacked: StackedPolicy, shown: Shown): readonly Row[] {
  const { key } = stacked.policy;
  const id = `${tier} ${key}`;
  const isOpen = shown.isOpen(id);
  const rules = ruleRows(id, tier, stacked, shown);
  const uses = rules.flatMap(({ use }) => use ?? []);
  const findings = shown.findings.of(key);
  const head: PolicyRow = {
    kind: "policy",
    id,
    tier,
    stacked,
    ...(shown.uses === undefined ? {} : { use: sumOf(uses) }),
    findings,
    isOpen,
  };
  if (!isOpen) return [head];
  const own = findings.filter(({ rule }) => rules.every(({ rule: { path } }) => path !== rule));
  return [
    head,
    ...findingRows(id, tier, stacked, own),
    ...rules.flatMap((row) => [row, ...findingRows(row.id, tier, stacked, row.findings)]),
  ];
}

function ruleRows(id: string, tier: TierName, stacked: StackedPolicy, shown: Shown): readonly RuleRow[] {
  const { key } = stacked.policy;
  const findings = shown.findings.of(key);
  const isolation = stacked.isolates.map((direction) => ({ direction, path: "isolation" }) as const);
  return [...stacked.rules, ...isolation].toSorted(byDirection).map((rule) => ({
    kind: "rule",
    id: `${id} ${rule.direction} ${rule.path}`,
    tier,
    stacked,
    rule,
    ...(shown.uses === undefined
      ? {}
      : { use: shown.uses[useKey(key, rule.direction, rule.path)] ?? nothing }),
    findings: findings.filter((finding) => finding.rule === rule.path),
  }));
}

/** What enters first, then what leaves; sorting keeps the order of the rules, and isolation behind them. */
const byDirection = (a: RuleRow["rule"], b: RuleRow["rule"]): number =>
  Number(a.direction === "egress") - Number(b.direction === "egress");

function findingRows(
  id: string,
  tier: TierName,
  stacked: StackedPolicy,
  findings: readonly FindingView[],
): readonly FindingRow[] {
  return findings.map((finding, i) => ({
    kind: "finding",
    id: `${id} finding ${i}`,
    tier,
    stacked,
    finding,
  }));
}
