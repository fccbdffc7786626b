import type { CidrGroup } from "../../cluster/model.js";
import {
  type Direction,
  directions,
  formatPolicy,
  type Isolation,
  type Rule,
  type Tier,
  type TierName,
  tierNames,
  type Tiers,
} from "../../policy/model.js";
import { ruleContent, subjectContent } from "../encode/index.js";
import { align, type Segment } from "./alignment.js";

/** What is compared: the policies of two states. */
export interface Policies {
  readonly tiers: Tiers;
  readonly cidrGroups: readonly CidrGroup[];
}

/** One tier on both sides, divided into rules that correspond to each other. */
export interface AlignedTier {
  readonly name: TierName;
  readonly direction: Direction;
  readonly before: Tier;
  readonly after: Tier;
  readonly segments: readonly Segment<Rule>[];
}

/** All tiers of both, in the order of evaluation. */
export function alignTiers(before: Policies, after: Policies): readonly AlignedTier[] {
  const contentOf = contents(before, after);
  return directions.flatMap((direction) =>
    tierNames.flatMap((name) => {
      const tierIn = ({ tiers }: Policies): Tier =>
        tiers[direction].find((tier) => tier.name === name) ?? { name, rules: [], isolation: [] };
      const [left, right] = [tierIn(before), tierIn(after)];
      if ([left, right].every(({ rules, isolation }) => rules.length + isolation.length === 0)) return [];
      const keys = [contentOf, policyOf, ({ subject }: Rule) => subjectContent(subject)];
      const [ours, theirs] = [left, right].map((tier) => comparableOrder(tier, contentOf));
      const isolation = sameIsolation(left.isolation, right.isolation) ? left.isolation : right.isolation;
      return [
        {
          name,
          direction,
          before: left,
          after: { ...right, isolation },
          segments: align(ours!, theirs!, name === "network-policy" ? [keys[0]!, keys[2]!] : keys),
        },
      ];
    }),
  );
}

const policyOf = ({ origin: { policy } }: Rule): string => formatPolicy(policy);

/** What a rule is, where that is the same on both sides: CIDR groups may hold other addresses. */
function contents(before: Policies, after: Policies): (rule: Rule) => string {
  const [left, right] = [before, after].map(({ cidrGroups }) =>
    JSON.stringify(cidrGroups, (_key, value: unknown) => (typeof value === "bigint" ? `${value}` : value)),
  );
  const ofAfter = new Set(
    directions.flatMap((direction) => after.tiers[direction].flatMap(({ rules }) => rules)),
  );
  const known = new Map<Rule, string>();
  return (rule) => {
    const found = known.get(rule);
    if (found !== undefined) return found;
    const isDifferent = left !== right && rule.peers.some(({ kind }) => kind === "cidr-group");
    const content = `${isDifferent ? (ofAfter.has(rule) ? "after" : "before") : ""} ${ruleContent(rule)}`;
    known.set(rule, content);
    return content;
  };
}

/** S2.2: rules of NetworkPolicies that do the same have no order, and get one in which they are easy to compare. */
function comparableOrder({ name, rules }: Tier, contentOf: (rule: Rule) => string): readonly Rule[] {
  if (name !== "network-policy") return rules;
  const effect = ({ action, condition }: Rule) => `${action} ${condition?.kind === "authentication"}`;
  const ordered: Rule[] = [];
  for (let first = 0; first < rules.length; ) {
    let last = first + 1;
    while (last < rules.length && effect(rules[last]!) === effect(rules[first]!)) last++;
    const run = rules.slice(first, last).map((rule) => [contentOf(rule), rule] as const);
    ordered.push(...run.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, rule]) => rule));
    first = last;
  }
  return ordered;
}

function sameIsolation(before: readonly Isolation[], after: readonly Isolation[]): boolean {
  const [left, right] = [before, after].map(
    (list) => new Set(list.map(({ subject }) => subjectContent(subject))),
  );
  return left!.size === right!.size && [...left!].every((content) => right!.has(content));
}
