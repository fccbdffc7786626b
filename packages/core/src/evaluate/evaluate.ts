import type { Cluster } from "../cluster/model.js";
import type { Direction, Tiers } from "../policy/model.js";
import { explore, type Fact, mostRuns, type Run } from "./facts.js";
import type { Flow } from "./flow.js";
import { type Decision, walk } from "./walk.js";

/** What becomes of a connection; Undecided where that depends on missing information (S9.1). */
export type Verdict = "Allow" | "Deny" | "Undecided";

export interface WalkVerdict {
  readonly verdict: Verdict;
  /** The decision, or those that are possible while facts are missing. */
  readonly decisions: readonly Decision[];
  /** What would have to be known; empty unless Undecided. */
  readonly missing: readonly Fact[];
  readonly notes: readonly string[];
}

export interface ConnectionVerdict {
  readonly verdict: Verdict;
  readonly egress: WalkVerdict;
  readonly ingress: WalkVerdict;
}

/** S1.4: allowed when both directions allow. Known to be denied as soon as one is known to deny. */
export function evaluate(cluster: Cluster, tiers: Tiers, flow: Flow): ConnectionVerdict {
  const egress = evaluateDirection("egress", cluster, tiers, flow);
  const ingress = evaluateDirection("ingress", cluster, tiers, flow);
  const both = [egress.verdict, ingress.verdict];
  if (both.includes("Deny")) return { verdict: "Deny", egress, ingress };
  if (!both.includes("Undecided")) return { verdict: "Allow", egress, ingress };
  const verdict =
    egress.verdict === ingress.verdict && !mayBothAllow(cluster, tiers, flow) ? "Deny" : "Undecided";
  return { verdict, egress, ingress };
}

/** S9.1: if both directions depend on the same facts, a fact that allows one may deny the other. */
function mayBothAllow(cluster: Cluster, tiers: Tiers, flow: Flow): boolean {
  const allows = (runs: readonly Run<boolean>[]) => runs.some((run) => run.value);
  const runs = explore((unknowns) => {
    const situation = { flow, cluster, unknowns };
    return (
      walk("egress", tiers, situation).verdict === "Allow" &&
      walk("ingress", tiers, situation).verdict === "Allow"
    );
  }, allows);
  return allows(runs);
}

export function evaluateDirection(
  direction: Direction,
  cluster: Cluster,
  tiers: Tiers,
  flow: Flow,
): WalkVerdict {
  const runs = explore((unknowns) => walk(direction, tiers, { flow, cluster, unknowns }), bothWays);
  const decisions = distinct(runs.map((run) => run.value));
  const notes = [...new Set(runs.flatMap((run) => run.notes))];
  const [first] = decisions;
  if (runs.length >= mostRuns) notes.push("too many facts are missing to try all combinations");
  if (runs.length >= mostRuns || decisions.some((decision) => decision.verdict !== first!.verdict))
    return { verdict: "Undecided", decisions, missing: missingFacts(runs), notes };
  // All possible deciders are listed with their conditions.
  const conditions = [...new Set(decisions.flatMap((decision) => decision.conditions))];
  return { verdict: first!.verdict, decisions: [{ ...first!, conditions }], missing: [], notes };
}

/** All runs are wanted, to name all missing facts; past this many, one of each verdict will do. */
const plenty = 256;

function bothWays(runs: readonly Run<Decision>[]): boolean {
  if (runs.length < plenty) return false;
  return (
    runs.some((run) => run.value.verdict === "Allow") && runs.some((run) => run.value.verdict === "Deny")
  );
}

function distinct(decisions: readonly Decision[]): readonly Decision[] {
  const seen: Decision[] = [];
  for (const decision of decisions)
    if (!seen.some((other) => sameDecision(other, decision))) seen.push(decision);
  return seen;
}

function sameDecision(a: Decision, b: Decision): boolean {
  if (a.verdict !== b.verdict || a.by.kind !== b.by.kind || a.conditions.join() !== b.conditions.join())
    return false;
  return a.by.kind !== "rule" || (b.by.kind === "rule" && a.by.rule === b.by.rule);
}

/** Facts on which two runs with different verdicts differ. */
function missingFacts(runs: readonly Run<Decision>[]): readonly Fact[] {
  const answers = new Map<string, { fact: Fact; allow: Set<boolean>; deny: Set<boolean> }>();
  for (const { value, assumed } of runs)
    for (const { key, text, answer } of assumed) {
      const entry = answers.get(key) ?? { fact: { key, text }, allow: new Set(), deny: new Set() };
      (value.verdict === "Allow" ? entry.allow : entry.deny).add(answer);
      answers.set(key, entry);
    }
  const all = [...answers.values()];
  const decisive = all.filter(
    ({ allow, deny }) => [...allow].some((a) => !deny.has(a)) || [...deny].some((d) => !allow.has(d)),
  );
  const facts = (decisive.length > 0 ? decisive : all).map(({ fact }) => fact);
  return facts.filter(({ text }, i) => facts.findIndex((other) => other.text === text) === i);
}
