import { evaluateDirection, type WalkVerdict } from "../../evaluate/evaluate.js";
import { type Endpoint, type Flow, subjectOf } from "../../evaluate/flow.js";
import type { Unknowns } from "../../evaluate/facts.js";
import { isOwnNode, isSubject } from "../../evaluate/match.js";
import { isolatingIn } from "../../evaluate/walk.js";
import {
  type Direction,
  type Isolation,
  isUnsettled,
  type Rule,
  type Tier,
  type TierName,
} from "../../policy/model.js";
import type { State } from "../../state/state.js";
import { allRuns, type Fit, fitOf, type WalkedConnection, whyNot } from "./why-not.js";

/** One direction, step by step: the tiers, the rules that match in each, and why the others do not. */
export interface WalkTrace {
  readonly direction: Direction;
  readonly end: Endpoint;
  readonly tiers: readonly TierTrace[];
  /** For a denial: the rule that came nearest to allowing it. */
  readonly nearestAllow?: NearestAllow;
}

export interface TierTrace {
  readonly tier: TierName;
  readonly outcome: "allow" | "deny" | "pass" | "next" | "undecided" | "not-reached";
  /** The rules of policies that select the subject, in the order of evaluation. */
  readonly rules: readonly RuleTrace[];
  /** The policies that isolate the subject in this tier (S1.2). */
  readonly isolation: readonly Isolation[];
}

export interface RuleTrace {
  readonly rule: Rule;
  /** `matches` decided the tier; `would-match` matches, but comes too late; `may-match` depends on missing information. */
  readonly result: "matches" | "may-match" | "would-match" | "no-match";
  readonly fails: readonly ("peer" | "port")[];
  readonly why?: string;
}

export interface NearestAllow {
  readonly rule: Rule;
  readonly tier: TierName;
  readonly fails: readonly ("peer" | "port")[];
  readonly why: string;
}

export function traceWalk(state: State, direction: Direction, flow: Flow, walk: WalkVerdict): WalkTrace {
  const [end, other] =
    direction === "egress" ? [flow.source, flow.destination] : [flow.destination, flow.source];
  const subject = subjectOf(end);
  if (subject === undefined || flow.toItself) return { direction, end, tiers: [] };

  // S1.6: whether the other endpoint is the node that the subject runs on.
  const isOwn = (unknowns: Unknowns) => isOwnNode(subject, other, unknowns);
  const ownNode = direction === "ingress" ? allRuns(isOwn) : "no";
  const connection = { direction, subject, other, flow, cluster: state.cluster, ownNode };
  const tiers: TierTrace[] = [];
  let reached = true;
  for (const tier of ownNode === "yes" ? state.tiers.ingress.map(bindingPart) : state.tiers[direction]) {
    const trace = traceTier(tier, connection, reached);
    tiers.push(trace);
    if (trace.outcome === "allow" || trace.outcome === "deny") reached = false;
  }
  const spoken = tiers.filter((tier) => tier.rules.length > 0 || tier.isolation.length > 0);
  const nearest = walk.verdict === "Deny" ? nearestAllow(spoken) : undefined;
  return { direction, end, tiers: spoken, ...(nearest === undefined ? {} : { nearestAllow: nearest }) };
}

/** The rules of a tier that apply to a pod's own node (S7.8). */
function bindingPart(tier: Tier): Tier {
  return { ...tier, rules: tier.rules.filter((rule) => rule.bindsOwnNode), isolation: [] };
}

interface Connection extends WalkedConnection {
  readonly direction: Direction;
  readonly ownNode: Fit["peer"];
}

function traceTier(tier: Tier, connection: Connection, isReached: boolean): TierTrace {
  const { subject } = connection;
  const isolation = isolatingIn(tier, subject);
  const asked = tier.rules
    .filter((rule) => isSubject(rule.subject, subject))
    .map((rule) => ({ rule, fit: fitIn(rule, connection) }));
  const matching = asked.filter(({ fit }) => fit.port && fit.peer === "yes").map(({ rule }) => rule);
  const decider = isReached ? deciderAmong(matching, tier, connection) : undefined;
  const rules = asked.map(({ rule, fit }) => ruleTrace(rule, fit, rule === decider, connection));
  const outcome = isReached ? outcomeIn(rules, isolation, connection) : "not-reached";
  return { tier: tier.name, outcome, rules, isolation };
}

/** Of rules that match, the one that decides the tier: as the specification chooses it, which names a rule that denies. */
function deciderAmong(
  matching: readonly Rule[],
  tier: Tier,
  { direction, flow, cluster }: Connection,
): Rule | undefined {
  const denying = matching.map((rule): Rule => ({ ...rule, action: "Deny" }));
  const alone = { egress: [], ingress: [], [direction]: [{ ...tier, rules: denying, isolation: [] }] };
  const { decisions } = evaluateDirection(direction, cluster, alone, flow);
  const deciders = decisions.flatMap(({ by }) => (by.kind === "rule" ? [by.rule] : []));
  return matching[denying.findIndex((rule) => deciders.includes(rule))];
}

/** A rule that may match leaves the tier undecided, whatever those after it do. */
function outcomeIn(
  rules: readonly RuleTrace[],
  isolation: readonly Isolation[],
  { ownNode }: Connection,
): TierTrace["outcome"] {
  const end = rules.findIndex(({ result }) => result === "matches");
  const isOpen = rules.slice(0, end === -1 ? undefined : end).some(({ result }) => result === "may-match");
  const decider = rules[end]?.rule;
  if (isOpen) return "undecided";
  if (decider !== undefined) return isUnsettled(decider) ? "undecided" : outcomeOf(decider);
  if (isolation.length > 0 && ownNode === "maybe") return "undecided";
  return isolation.length > 0 ? "deny" : "next";
}

function fitIn(rule: Rule, connection: Connection): Fit {
  const fit = fitOf(rule, connection);
  // Most rules do not apply to the pod's own node: if it is unknown, they may match.
  // S9.3: the effect of a foreign object is unknown.
  const isOpen =
    rule.condition?.kind === "foreign" || (connection.ownNode === "maybe" && rule.bindsOwnNode === undefined);
  return isOpen && fit.peer === "yes" ? { ...fit, peer: "maybe" } : fit;
}

function resultOf(fit: Fit, isDecider: boolean): RuleTrace["result"] {
  if (!fit.port || fit.peer === "no") return "no-match";
  if (fit.peer === "maybe") return "may-match";
  return isDecider ? "matches" : "would-match";
}

const outcomeOf = (rule: Rule) =>
  rule.action === "Allow" ? "allow" : rule.action === "Deny" ? "deny" : "pass";

function ruleTrace(rule: Rule, fit: Fit, isDecider: boolean, connection: Connection): RuleTrace {
  const fails = [...(fit.peer === "no" ? (["peer"] as const) : []), ...(fit.port ? [] : (["port"] as const))];
  const why = whyNot(rule, fit, connection) ?? rule.failedClosed;
  return { rule, result: resultOf(fit, isDecider), fails, ...(why === undefined ? {} : { why }) };
}

/**
 * Of the rules that come early enough to allow it, the one with the smallest mismatch: one that fails only by its port,
 * then only by its peer, then by both. Rules after the decision come last: they match, but are not reached.
 */
function nearestAllow(tiers: readonly TierTrace[]): NearestAllow | undefined {
  let best: NearestAllow | undefined;
  let bestCost = Infinity;
  for (const { tier, outcome, rules } of tiers) {
    let late = outcome === "not-reached";
    for (const trace of rules) {
      if (trace.result === "matches") late = true;
      if (
        trace.rule.action !== "Allow" ||
        trace.rule.failedClosed !== undefined ||
        trace.rule.condition?.kind === "foreign" ||
        trace.result === "matches"
      )
        continue;
      const inTime = trace.fails.length === 2 ? 3 : trace.fails[0] === "peer" ? 2 : 1;
      const cost = late ? 10 + trace.fails.length : inTime;
      // Among equals the last one wins, being closer to the decision; among those that come too late, the first.
      if (cost > bestCost || (late && cost === bestCost)) continue;
      bestCost = cost;
      const why = trace.why ?? "it matches, but an earlier rule decides first";
      best = { rule: trace.rule, tier, fails: trace.fails, why };
    }
  }
  return best;
}
