import {
  type Engine,
  flowAt,
  readLanes,
  type RuleNeed,
  RuleNeeds,
  type WitnessCell,
} from "../../engine/index.js";
import { evaluateDirection } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Decision } from "../../evaluate/walk.js";
import { directions, type Isolation, type Rule, type TierName, type Tiers } from "../../policy/model.js";
import { withoutRule } from "../../policy/without-rule.js";
import { type EveryClusterProof, RuleQuestions } from "../../prove/rules/index.js";
import type { Budget } from "../../prove/sat/index.js";

/** A rule that can be removed without changing a verdict, and why. What holds in every cluster holds in this one, too. */
export interface RuleProof {
  readonly rule: Rule;
  readonly tier: TierName;
  /** For the pods, nodes and addresses of this cluster. Absent if the rule matches none of them. */
  readonly here?: HereProof;
  /** Whatever is deployed. Absent if there is a cluster in which the rule is needed, or if that was not decided. */
  readonly everywhere?: EveryClusterProof;
}

export type HereProof =
  /** Earlier rules of its tier match everything that it matches. */
  | { readonly kind: "shadowed"; readonly by: readonly Rule[] }
  /** Earlier tiers decide what it matches: all of it, or the part that its own tier leaves. */
  | { readonly kind: "unreached"; readonly by: readonly (Rule | Isolation)[] }
  /** It decides something, and without it the verdict would be the same. */
  | {
      readonly kind: "redundant";
      /** Whether its own tier decides the same, or other tiers do, whose policies may have other owners. */
      readonly because: "its tier" | "other tiers";
      readonly example: () => Replacement;
    };

/** A connection that a rule decides, and what would decide it instead. */
export interface Replacement {
  readonly flow: Flow;
  readonly instead: Decision;
}

export interface RuleProofs {
  /** In the order of evaluation. */
  readonly ofRules: readonly RuleProof[];
  /** Rules that are not needed in this cluster; whether they are in another was not decided within the budget. */
  readonly undecided: readonly Rule[];
}

/** Conflicts of the solver that one question may take: unlike a time, this gives the same answers on every machine. */
const conflictsPerQuestion = 2000;

/** From now on. Without a time, only single questions are limited. */
export const budgetFor = (milliseconds = Infinity): Budget => ({
  conflicts: conflictsPerQuestion,
  deadline: Date.now() + milliseconds,
});

/** The snapshot first: a rule that is needed in this cluster need not be asked about in others. */
export function* ruleProofs(
  engine: Engine,
  { all: needs } = needsIn(engine),
  questions = new RuleQuestions(engine.tiers, engine.cluster.cidrGroups),
  budget = budgetFor(),
): Generator<void, RuleProofs> {
  const ofRules: RuleProof[] = [];
  const undecided: Rule[] = [];
  const placeOf = placesIn(engine.tiers);
  for (const direction of directions)
    for (const { name: tier, rules } of engine.tiers[direction])
      for (const rule of rules) {
        const need = needs.get(rule)!;
        if (need.needed || rule.condition?.kind === "foreign") continue;
        const here = proofHere(engine, rule, need, placeOf);
        const answer = yield* questions.answer(rule, budget);
        if (answer === "not decided") undecided.push(rule);
        const everywhere = typeof answer === "string" ? undefined : answer;
        if (here !== undefined || everywhere !== undefined)
          ofRules.push({ rule, tier, ...(here && { here }), ...(everywhere && { everywhere }) });
        yield;
      }
  return { ofRules, undecided };
}

function needsIn(engine: Engine): RuleNeeds {
  const needs = new RuleNeeds(engine);
  readLanes(engine, [needs]);
  return needs;
}

function proofHere(engine: Engine, rule: Rule, need: RuleNeed, placeOf: PlaceOf): HereProof | undefined {
  const { decides, matches, decidesInTier, neededInTier, takers, takersInTier } = need;
  if (decides !== undefined)
    return {
      kind: "redundant",
      because: neededInTier ? "other tiers" : "its tier",
      example: () => replacementAt(decides, rule, engine),
    };
  if (!matches) return undefined;
  return decidesInTier
    ? { kind: "unreached", by: inOrder(takers, placeOf) }
    : { kind: "shadowed", by: inOrder(takersInTier, placeOf) };
}

function replacementAt(witness: WitnessCell, rule: Rule, { cluster }: Engine): Replacement {
  const { direction, field } = witness;
  const flow = flowAt(witness, cluster);
  const subject = field.view.ends.classOf(direction === "egress" ? flow.source : flow.destination)!;
  // With only the rules that apply to the subject: thousands of others need not be looked at.
  const own = field.view.literalTiers(direction, subject);
  const tiers = withoutRule({ egress: own, ingress: own }, rule);
  return { flow, instead: evaluateDirection(direction, cluster, tiers, flow).decisions[0]! };
}

type PlaceOf = (part: Rule | Isolation) => number;

/** The number of each rule in the order of evaluation; isolation comes after all rules. */
function placesIn(tiers: Tiers): PlaceOf {
  const places = new Map<Rule | Isolation, number>();
  for (const direction of directions)
    for (const { rules } of tiers[direction]) for (const rule of rules) places.set(rule, places.size);
  return (part) => places.get(part) ?? places.size;
}

const inOrder = <T extends Rule | Isolation>(parts: ReadonlySet<T>, placeOf: PlaceOf): readonly T[] =>
  [...parts].toSorted((a, b) => placeOf(a) - placeOf(b));
