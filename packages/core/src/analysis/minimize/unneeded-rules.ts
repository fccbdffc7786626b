import { completed } from "../../collections/steps.js";
import { compile, type Engine, readLanes, type RuleNeed, RuleNeeds } from "../../engine/index.js";
import { couldSelectOnePod } from "../../state/warnings/same-priority.js";
import { directions, type Isolation, type PortMatch, type Rule } from "../../policy/model.js";
import { type EveryClusterProof, RuleQuestions } from "../../prove/rules/index.js";
import type { Budget } from "../../prove/sat/index.js";
import type { State } from "../../state/state.js";
import { removableTogether } from "./joint-needs.js";

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
  /** Whether rules that match nothing in this cluster, or whose work other tiers do there, are removed as well. */
  readonly unused: boolean;
  readonly budget: Budget;
}

/**
 * Rules that can be removed together. Those that never decide can: whatever they match is decided before. Those that others repeat depend on
 * each other.
 *
 * States are the policies as they are, and without those that are not enforced yet: it has to hold of each of them.
 */
export function unneededRules(
  states: readonly State[],
  isEditable: (rule: Rule) => boolean,
  scope: Scope,
): readonly UnneededRule[] {
  const engines = states.map(({ cluster, tiers }) => compile(cluster, tiers));
  const reasons = engines.map((engine) => reasonsIn(engine, isEditable, scope));
  const found = [...reasons[0]!].flatMap(([rule, reason]): readonly UnneededRule[] => {
    const all = reasons.map((one) => one.get(rule));
    if (all.includes(undefined)) return [];
    return [{ rule, reason: all.find((one) => one?.kind === "redundant") ?? reason }];
  });
  const idle = found.filter(({ reason }) => reason.kind === "idle");
  if (idle.length > 0) return idle;
  if (scope.everywhere) return independent(found);
  const together = removableTogether(
    engines,
    found.map(({ rule }) => rule),
  );
  return together.size > 0 ? found.filter(({ rule }) => together.has(rule)) : independent(found);
}

function reasonsIn(
  engine: Engine,
  isEditable: (rule: Rule) => boolean,
  scope: Scope,
): ReadonlyMap<Rule, Reason> {
  const needs = new RuleNeeds(engine);
  readLanes(engine, [needs]);
  const candidates = [...needs.all].filter(([rule, { needed }]) => !needed && isEditable(rule));
  // A rule that is needed in this cluster need not be asked about in others.
  const questions = new RuleQuestions(engine.tiers, engine.cluster.cidrGroups);
  return new Map(
    candidates.flatMap(([rule, need]) => {
      const reason = scope.everywhere
        ? reasonEverywhere(questions, rule, scope.budget)
        : reasonHere(need, scope.unused);
      return reason === undefined ? [] : [[rule, reason] as const];
    }),
  );
}

/** Other tiers may have other owners: a guardrail is not superfluous because all namespaces follow it today. */
function reasonHere(need: RuleNeed, unused: boolean): Reason | undefined {
  const { decides, matches, decidesInTier, neededInTier, takers, takersInTier } = need;
  if (decides !== undefined && !neededInTier)
    return { kind: "redundant", text: "its tier decides the same without it", by: [] };
  if (matches && !decidesInTier) return { kind: "idle", text: "shadowed by", by: [...takersInTier] };
  if (!unused) return undefined;
  if (decides !== undefined)
    return { kind: "redundant", text: "other tiers decide the same without it", by: [] };
  return matches
    ? { kind: "idle", text: "what it matches is decided earlier by", by: [...takers] }
    : { kind: "idle", text: "matches no connection of this cluster", by: [] };
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
      if (kind === "redundant")
        return isRepeated(rule, answer) ? { kind, text: "the same is decided by", by } : undefined;
      return {
        kind: "idle",
        text: kind === "shadowed" ? "shadowed by" : "what it matches is decided earlier by",
        by,
      };
    }
  }
}

/** S11.6: owners may add policies that isolate, or that allow: only rules of its tier that allow take the place of a rule of a namespace. */
function isRepeated({ origin }: Rule, { because, by }: EveryClusterProof): boolean {
  if (origin.policy.namespace === undefined) return true;
  return (
    because === "its tier" && by.length > 0 && by.every((part) => "action" in part && part.action === "Allow")
  );
}

/** The first, and those that cannot match a connection which one of the others matches: they do not depend on each other. */
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
  portsCanMeet(a.ports, b.ports) && couldSelectOnePod(a.subject, b.subject);

/** A name may be that of any port. */
function portsCanMeet(a: Rule["ports"], b: Rule["ports"]): boolean {
  if (a === "every" || b === "every") return true;
  const meets = (x: PortMatch, y: PortMatch) =>
    x.kind !== "range" ||
    y.kind !== "range" ||
    (x.protocol === y.protocol && x.first <= y.last && y.first <= x.last);
  return a.some((x) => b.some((y) => meets(x, y)));
}
