import { type Engine, readLanes, type Row } from "../../engine/index.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Direction, PolicyRef, Rule, TierName, Tiers } from "../../policy/model.js";
import { type OrderConflict, OrderConflicts } from "../proof/order-conflicts.js";
import { type Intent, type Override, Overrides } from "../proof/overridden.js";

/** How some policies relate to all others: what they override, what overrides them, and where only names decide. */
export interface Precedence {
  /** Policies of tier network-policy whose traffic these policies decide differently. */
  readonly overrides: readonly Overruling[];
  /** The reverse: existing rules that decide differently than these policies of tier network-policy. */
  readonly overriddenBy: readonly Overruling[];
  readonly ambiguous: readonly Ambiguity[];
}

/** A rule of a tier before network-policy that decides differently than a policy there would. */
export interface Overruling {
  readonly policy: PolicyRef;
  readonly direction: Direction;
  /** What the policy would do to the traffic. */
  readonly intent: Intent;
  readonly rule: Rule;
  readonly tier: TierName;
  /** Ordered pairs of pods and nodes, counted separately for each address family. */
  readonly connections: number;
  /** Whether external addresses are affected. */
  readonly external: boolean;
  readonly example: Flow;
}

/** Two conflicting policies with the same priority: only the order of their names decides (S1.13). */
export interface Ambiguity {
  readonly tier: TierName;
  /** In the order of evaluation. */
  readonly first: PolicyRef;
  readonly second: PolicyRef;
  readonly direction: Direction;
  /** A connection that gets another verdict, in that direction, if the two are swapped. */
  readonly example: Flow;
  readonly asOrdered: Verdict;
  readonly swapped: Verdict;
}

export function precedenceOf(engine: Engine, policies: ReadonlySet<PolicyRef>): Precedence {
  const isMeant = (policy: PolicyRef) => policies.has(policy);
  if (policies.size === 0) return { overrides: [], overriddenBy: [], ambiguous: [] };
  const found = proofsAbout(engine, isMeant);
  const overrulings = found.overrides
    .flatMap((override) => overrulingsOf(override, engine.tiers))
    .toSorted((a, b) => b.connections - a.connections);
  return {
    overrides: overrulings.filter(({ rule }) => isMeant(rule.origin.policy)),
    overriddenBy: overrulings.filter(({ policy, rule }) => isMeant(policy) && !isMeant(rule.origin.policy)),
    ambiguous: found.conflicts
      .filter(({ first, second }) => isMeant(first) || isMeant(second))
      .map(ambiguityOf),
  };
}

function overrulingsOf({ policy, direction, intent, by }: Override, tiers: Tiers): readonly Overruling[] {
  const tierOf = (rule: Rule) => tiers[direction].find(({ rules }) => rules.includes(rule))!.name;
  return by.map(({ rule, pairs, external, example }) => ({
    policy,
    direction,
    intent,
    rule,
    tier: tierOf(rule),
    connections: pairs,
    external,
    example: example(),
  }));
}

function ambiguityOf({ shared, first, second, direction, example }: OrderConflict): Ambiguity {
  const { flow, asOrdered, swapped } = example();
  const verdicts = { asOrdered: asOrdered.verdict, swapped: swapped.verdict };
  return { tier: shared.tier, first, second, direction, example: flow, ...verdicts };
}

/** Looks only at directions in which some of these policies apply. */
function proofsAbout(
  engine: Engine,
  isMeant: (policy: PolicyRef) => boolean,
): { readonly overrides: readonly Override[]; readonly conflicts: readonly OrderConflict[] } {
  const [overrides, conflicts] = [new Overrides(engine), new OrderConflicts(engine)];
  const known = new Map<Row, boolean>();
  const isConcerned = (row: Row): boolean => {
    const result =
      known.get(row) ??
      (row.rules.some(({ origin }) => isMeant(origin.policy)) ||
        row.isolation.some(({ origin }) => origin.kind === "policy" && isMeant(origin.policy)));
    known.set(row, result);
    return result;
  };
  readLanes(engine, [overrides, conflicts], isConcerned);
  return { overrides: overrides.all(), conflicts: conflicts.all() };
}
