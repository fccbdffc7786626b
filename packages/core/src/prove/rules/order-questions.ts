import { grouped } from "../../collections/maps.js";
import { type Direction, directions, type PolicyRef, type TierName } from "../../policy/model.js";
import { swappedPolicies } from "../../policy/swapped-policies.js";
import type { State } from "../../state/state.js";
import { type Budget, FALSE, type Literal, not, TRUE } from "../sat/index.js";
import { confirm, type Confirmed, readWitness, shrink } from "../world/index.js";
import type { RuleQuestions } from "./rule-questions.js";
import type { RuleWalk } from "./rule-walk.js";

/** Policies of one tier and one priority, in the order of evaluation. */
export interface PolicyGroup {
  readonly tier: TierName;
  readonly policies: readonly PolicyRef[];
}

/** A policy that disagrees with one before it about some connection, in a cluster of two endpoints. */
export interface PossibleConflict {
  readonly first: PolicyRef;
  readonly second: PolicyRef;
  readonly direction: Direction;
  /** What the evaluator decides about the connection as the policies are ordered, and with the two in each other's place. */
  readonly asOrdered: Confirmed;
  readonly swapped: Confirmed;
}

/** `never`: whatever is deployed, and in whatever order the policies are evaluated, the verdicts are the same. */
export type OrderAnswer =
  | { readonly result: "never"; readonly conflicts: readonly [] }
  | { readonly result: "sometimes"; readonly conflicts: readonly PossibleConflict[] }
  | { readonly result: "not decided"; readonly conflicts: readonly PossibleConflict[] };

/**
 * Whether policies of one priority can ever disagree, whatever is deployed. Of each policy, one conflict with an earlier one is
 * shown that is not known yet.
 */
export function* orderAnswer(
  questions: RuleQuestions,
  state: State,
  group: PolicyGroup,
  isKnown: (first: PolicyRef, second: PolicyRef) => boolean,
  budget: Budget,
): Generator<void, OrderAnswer> {
  const conflicts: PossibleConflict[] = [];
  let isDecided = true;
  let hasKnown = false;
  const walks: { readonly walk: RuleWalk; readonly literals: GroupLiterals }[] = [];
  for (const direction of directions) {
    const walk = yield* questions.walkOf(direction, "anything");
    walks.push({ walk, literals: new GroupLiterals(walk, group) });
  }
  for (const second of group.policies.slice(1)) {
    const known = group.policies.filter((first) => isKnown(first, second));
    hasKnown ||= known.length > 0;
    for (const { walk, literals } of walks) {
      yield;
      const found = conflictOf(walk, literals, state, second, known, budget);
      if (found === "not decided") isDecided = false;
      if (found === "not decided" || found === undefined) continue;
      conflicts.push(found);
      break;
    }
  }
  if (!isDecided) return { result: "not decided", conflicts };
  return conflicts.length > 0 || hasKnown
    ? { result: "sometimes", conflicts }
    : { result: "never", conflicts: [] };
}

function conflictOf(
  walk: RuleWalk,
  { first, disagrees }: GroupLiterals,
  state: State,
  second: PolicyRef,
  known: readonly PolicyRef[],
  budget: Budget,
): PossibleConflict | "not decided" | undefined {
  const others = known.flatMap((policy) => first.get(policy) ?? []);
  const assumptions = [walk.asWritten, disagrees.get(second) ?? FALSE, ...others.map(not)];
  const answer = walk.solve(assumptions, budget);
  if (answer === "unsatisfiable") return undefined;
  if (answer === "budget-exhausted") return "not decided";
  shrink(walk, { source: "pod", destination: "pod" }, assumptions, budget);
  const isFirst = ([, literal]: readonly [PolicyRef, Literal]) => walk.connection.formula.isTrue(literal);
  const [policy] = [...first].find(isFirst)!;
  const witness = readWitness(walk);
  const base = state.withDefinitions(
    state.definitions.filter((definition) => definition.policy.namespace === undefined),
  );
  const asOrdered = confirm(base, witness);
  const swapped = confirm(base, witness, (tiers) => swappedPolicies(tiers, policy, second));
  const verdictOf = ({ decisions }: Confirmed) => decisions[walk.direction].verdict;
  // The evaluator has the last word. Where it does not confirm the model, nothing is claimed.
  if (asOrdered.problems.length > 0 || verdictOf(asOrdered) === verdictOf(swapped)) return "not decided";
  return { first: policy, second, direction: walk.direction, asOrdered, swapped };
}

/** The literals of one group of policies in one direction. */
class GroupLiterals {
  /** By policy: of all policies of the group, it is the first that matches. */
  readonly first = new Map<PolicyRef, Literal>();
  /** By policy: it matches a connection that an earlier one matches too, and the first of these makes something else of it. */
  readonly disagrees = new Map<PolicyRef, Literal>();

  constructor(walk: RuleWalk, { tier, policies }: PolicyGroup) {
    const { formula } = walk.connection;
    const stage = walk.stageOf(tier);
    if (stage === undefined) return;
    const indices = grouped(stage.tier.rules.keys(), (i) => stage.tier.rules[i]!.origin.policy);
    const start = Math.min(...policies.flatMap((policy) => indices.get(policy) ?? []));
    if (start === Infinity) return;
    const reached = formula.and([stage.enters, stage.before[start]!]);
    let [anyMatched, firstEffect]: [Literal, Literal] = [FALSE, TRUE];
    for (const policy of policies) {
      const own = indices.get(policy) ?? [];
      const matches = formula.or(own.map((i) => stage.matches[i]!));
      const effect = own.reduceRight(
        (rest, i) => formula.choose(stage.matches[i]!, stage.effect(i), rest),
        TRUE,
      );
      this.first.set(policy, formula.and([reached, not(anyMatched), matches]));
      const differ = formula.choose(firstEffect, not(effect), effect);
      this.disagrees.set(policy, formula.and([reached, anyMatched, matches, differ]));
      firstEffect = formula.choose(anyMatched, firstEffect, effect);
      anyMatched = formula.or([anyMatched, matches]);
    }
  }
}
