import type { Style } from "@tierwall/core";
import { noStyle, visible } from "@tierwall/core/report";
import type { SavedCounts, Sum } from "./counts.js";
import { type Decider, policyText, verdictText } from "./decider.js";

/** How often the rules of a node decided, and when last: the answer of `tierwall hits`. */
export interface HitsReport {
  readonly version: 1;
  readonly node: string;
  /** When the counters were read. */
  readonly at: string;
  readonly rules: readonly RuleHits[];
}

interface RuleHits extends Decider {
  readonly packets: number;
  readonly bytes: number;
  readonly firstSeen: string;
  /** Absent: never. */
  readonly lastHit?: string;
}

/** The rules that are in the table now, sorted by policy. */
export function hitsReport({ node, at, sums }: SavedCounts): HitsReport {
  const rules = Object.values(sums)
    .filter((sum): sum is Sum & { decider: Decider } => sum.decider !== undefined && !sum.goneSince)
    .map(
      ({ decider, packets, bytes, firstSeen, lastHit }): RuleHits => ({
        ...decider,
        packets,
        bytes,
        firstSeen,
        ...(lastHit === undefined ? {} : { lastHit }),
      }),
    )
    .toSorted(byPolicy);
  return { version: 1, node, at, rules };
}

/** Rule 10 comes after rule 9, and isolation after all rules, as it is evaluated. */
const { compare } = new Intl.Collator("en", { numeric: true });
const rank = ({ rule }: RuleHits) => (rule === "isolation" ? 1 : 0);

function byPolicy(a: RuleHits, b: RuleHits): number {
  return (
    compare(policyText(a), policyText(b)) ||
    compare(a.direction, b.direction) ||
    rank(a) - rank(b) ||
    compare(a.rule, b.rule)
  );
}

export const neverHit = ({ lastHit }: RuleHits): boolean => lastHit === undefined;

export function hitsText(report: HitsReport, style: Style = noStyle): string {
  const { rules } = report;
  // Names of rules are free text, and a state file can come from another machine.
  const [node, at] = [visible(report.node), visible(report.at)];
  if (rules.length === 0) return `No rule applies to a pod of ${node}.`;
  const now = Date.parse(at);
  const never = rules.filter(neverHit).length;
  const lines = [
    `${rules.length} ${rules.length === 1 ? "rule" : "rules"} on ${style.bold(node)} at ${at}: ` +
      `${rules.length - never} used, ${style.bold(`${never} never used`)}`,
  ];
  const rows = table(rules.map((rule) => cells(rule, now)));
  rules.forEach((rule, i) => {
    const [policy, before] = [policyText(rule), rules[i - 1]];
    if (before === undefined || policyText(before) !== policy) lines.push("", style.bold(visible(policy)));
    lines.push(`  ${rows[i]}`);
  });
  return lines.join("\n");
}

function cells(rule: RuleHits, now: number): readonly string[] {
  const seen = ago(rule.firstSeen, now);
  return [
    visible(rule.direction),
    visible(rule.rule),
    visible(verdictText(rule)),
    neverHit(rule) ? "never" : `${amount(rule.packets)} packets`,
    neverHit(rule) ? `in ${seen}` : `${amount(rule.bytes)}B`,
    rule.lastHit === undefined ? "" : `last ${ago(rule.lastHit, now)} ago`,
  ];
}

/** Columns as wide as their longest cell. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join("  ")
      .trimEnd(),
  );
}

/** `999`, `12k`, `3.4M`: two digits are enough to compare. */
export function amount(count: number): string {
  let [rest, unit] = [count, ""];
  for (const next of ["k", "M", "G", "T", "P"]) {
    if (rest < 1000) break;
    [rest, unit] = [rest / 1000, next];
  }
  return `${unit !== "" && rest < 9.95 ? rest.toFixed(1) : Math.round(rest)}${unit}`;
}

/** `40s`, `3m`, `5h`, `12d`. */
export function ago(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
