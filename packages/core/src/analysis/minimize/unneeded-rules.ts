import { completed } from "../../collections/steps.js";
import { compile, readLanes, type RuleNeed, RuleNeeds } from "../../engine/index.js";
import { subjectsCanMeet } from "../../policy/can-meet.js";
import { directions, type Isolation, type PortMatch, type Rule } from "../../policy/model.js";
import { RuleQuestions } from "../../prove/rules/index.js";
import type { Budget } from "../../prove/sat/index.js";
import type { State } from "../../state/state.js";

/** A rule without which nothing changes. */
export interface UnneededRule {
  readonly rule: Rule;
  readonly reason: Reason;
}

export interface Reason {
  /** `idle` rules never decide; without `redundant` ones, others decide the same. */
  readonly kind: "idle" | "redundant";
  readonly text: string;
  /** The rules and isolations that `text` is about. */
  readonly by: readonly (Rule | Isolation)[];
}

export interface Scope {
  /** Whether it has to hold in every cluster, or in that of the input. */
  readonly everywhere: boolean;
  /** Whether rules that match nothing in this cluster, or that only other tiers make redundant there, are removed as well. */
  readonly unused: boolean;
  readonly budget: Budget;
}

/**
 * Rules that can be removed together. Those that never decide can: whatever they match is decided before. Those that others repeat depend on
 * each other, so of these only some that cannot match the same connection are chosen.
 *
 * States are the policies as they are, and without those that are not enforced yet: it has to hold of each of them.
 */
export function unneededRules(
  states: readonly State[],
  isEditable: (rule: Rule) => boolean,
  scope: Scope,
): readonly UnneededRule[] {
  const reasons = states.map((state) => reasonsIn(state, isEditable, scope));
  const found = [...reasons[0]!].flatMap(([rule, reason]): readonly UnneededRule[] => {
    const all = reasons.map((one) => one.get(rule));
    if (all.includes(undefined)) return [];
    return [{ rule, reason: all.find((one) => one?.kind === "redundant") ?? reason }];
  });
  const idle = found.filter(({ reason }) => reason.kind === "idle");
  return idle.length > 0 ? idle : independent(found);
}

function reasonsIn(
  state: State,
  isEditable: (rule: Rule) => boolean,
  scope: Scope,
): ReadonlyMap<Rule, Reason> {
  const { tiers, cluster } = state;
  const engine = compile(cluster, tiers);
  const needs = new RuleNeeds(engine);
  readLanes(engine, [needs]);
  const candidates = [...needs.all].filter(([rule, { needed }]) => !needed && isEditable(rule));
  if (!scope.everywhere)
    return new Map(
      candidates.flatMap(([rule, need]) => {
        const reason = reasonHere(need, scope.unused);
        return reason === undefined ? [] : [[rule, reason] as const];
      }),
    );
  // A rule that is needed in this cluster need not be asked about in others.
  const questions = new RuleQuestions(tiers, cluster.cidrGroups);
  return new Map(
    candidates.flatMap(([rule]) => {
      const reason = reasonEverywhere(questions, rule, scope.budget);
      return reason === undefined ? [] : [[rule, reason] as const];
    }),
  );
}

function reasonHere(need: RuleNeed, unused: boolean): Reason | undefined {
  const { decides, matches, decidesInTier, neededInTier, takers, takersInTier } = need;
  if (decides !== undefined && neededInTier)
    // Those may have other owners: a guardrail is not redundant because all namespaces follow it today.
    return unused ? { kind: "redundant", text: "other tiers decide the same without it", by: [] } : undefined;
  if (decides !== undefined)
    return { kind: "redundant", text: "its tier decides the same without it", by: [] };
  if (!matches)
    return unused ? { kind: "idle", text: "matches no connection of this cluster", by: [] } : undefined;
  return decidesInTier
    ? { kind: "idle", text: "what it matches is decided earlier by", by: [...takers] }
    : { kind: "idle", text: "shadowed by", by: [...takersInTier] };
}

function reasonEverywhere(questions: RuleQuestions, rule: Rule, budget: Budget): Reason | undefined {
  const answer = completed(questions.answer(rule, budget));
  switch (answer) {
    case "needed":
    case "not decided":
      return undefined;
    case "matches nothing":
      return { kind: "idle", text: "matches no connection of any cluster", by: [] };
    default: {
      const { kind, by } = answer;
      if (kind === "redundant") return { kind, text: "the same is decided by", by };
      return { kind: "idle", text: kind === "shadowed" ? "shadowed by" : "what it matches is decided earlier by", by };
    }
  }
}

/** The first, and those that cannot match a connection which one of the others matches. */
function independent(found: readonly UnneededRule[]): readonly UnneededRule[] {
  return directions.flatMap((direction) => {
    const chosen: UnneededRule[] = [];
    for (const one of found)
      if (one.rule.origin.direction === direction && chosen.every(({ rule }) => !canMeet(rule, one.rule)))
        chosen.push(one);
    return chosen;
  });
}

const canMeet = (a: Rule, b: Rule): boolean =>
  portsCanMeet(a.ports, b.ports) && subjectsCanMeet(a.subject, b.subject);

/** A name may be that of any port. */
function portsCanMeet(a: Rule["ports"], b: Rule["ports"]): boolean {
  if (a === "every" || b === "every") return true;
  const meets = (x: PortMatch, y: PortMatch) =>
    x.kind !== "range" ||
    y.kind !== "range" ||
    (x.protocol === y.protocol && x.first <= y.last && y.first <= x.last);
  return a.some((x) => b.some((y) => meets(x, y)));
}
