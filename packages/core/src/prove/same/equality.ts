import { directions, type Rule } from "../../policy/model.js";
import type { State } from "../../state/state.js";
import { type Budget, FALSE } from "../sat/index.js";
import {
  confirm,
  type Confirmed,
  type Essential,
  essentialOf,
  isConditional,
  readWitness,
  shrink,
} from "../world/index.js";
import { type AlignedTier, alignTiers, type Policies } from "./aligned-tiers.js";
import type { Segment } from "./alignment.js";
import { differentGroups } from "./different-groups.js";
import { JointWalk, type Owners } from "./joint-walk.js";
import { equalSegments } from "./segments.js";

/*
 * Whether two sets of policies are the same in every cluster (S11.6):
 *
 *   both ──► which rules correspond ──► which of them are equal alone      ──► all: the same
 *              aligned-tiers              segments                           └──► the rest: joint-walk
 *                                                                                   │
 *              a cluster in which they differ, confirmed on both sides ◄────────────┴──► there is none: the same
 */

export type Equality =
  | { readonly result: "Same" }
  | ({ readonly result: "Different"; readonly before: Confirmed; readonly after: Confirmed } & Essential)
  | { readonly result: "NotDecided"; readonly why: string };

/** Compares the policies of two states in every cluster. What else is in the states is one of many clusters. */
export function compareEverywhere(before: State, after: State, budget: Budget = {}): Equality {
  const [left, right] = [before, after].map(
    ({ tiers, cluster }): Policies => ({ tiers, cidrGroups: cluster.cidrGroups }),
  );
  const aligned = alignTiers(left!, right!);
  const equal = equalSegments(aligned, left!, right!, budget);
  const owners = ownersOf([before, after]);
  // What owners write about a group does another thing on the other side.
  const hasSameGroups =
    owners !== "write Cilium" || differentGroups(left!.cidrGroups, right!.cidrGroups).length === 0;
  if (hasSameGroups && aligned.every((tier) => isSame(tier, equal))) return { result: "Same" };
  const walk = new JointWalk(left!, right!, aligned, equal, { owners, budget });
  if (walk.difference === FALSE) return { result: "Same" };
  switch (walk.solve([walk.difference], budget)) {
    case "unsatisfiable":
      return { result: "Same" };
    case "budget-exhausted":
      return { result: "NotDecided", why: "the budget is exhausted; --budget gives more" };
    case "satisfiable":
      return difference(before, after, walk, budget);
  }
}

/** S11.6. S7.12: where Cilium enforces nothing, what owners write has no effect. */
function ownersOf(sides: readonly State[]): Owners {
  if (sides.every(({ setup }) => setup.ciliumEnforcement === "never")) return "write nothing";
  const hasCilium = sides.some(({ policies }) => policies.some(({ dialect }) => dialect === "cilium"));
  return hasCilium ? "write Cilium" : "write NetworkPolicies";
}

/** Rules with conditions depend on other rules of their tier (S7.7): those are compared as a whole. */
function isSame({ before, after, segments }: AlignedTier, equal: ReadonlySet<Segment<Rule>>): boolean {
  if (before.isolation !== after.isolation) return false;
  if (segments.every(({ isEqual }) => isEqual)) return true;
  const isPlain = [before, after].every(({ rules }) =>
    rules.every(({ condition }) => condition === undefined),
  );
  return isPlain && segments.every((segment) => equal.has(segment));
}

/** The simplest connection on which they differ, as the evaluator decides it on both sides. */
function difference(before: State, after: State, walk: JointWalk, budget: Budget): Equality {
  // Where the budget ends while it is simplified, the last model still is one on which they differ.
  shrink(walk, { source: "pod", destination: "pod" }, [walk.difference], budget);
  const witness = readWitness(walk);
  const [left, right] = [confirm(before, witness), confirm(after, witness)];
  const isConfirmed =
    [left, right].every(({ problems }) => problems.length === 0) && outcomeOf(left) !== outcomeOf(right);
  if (!isConfirmed)
    return {
      result: "NotDecided",
      why: "a difference was found that the evaluator does not confirm; this is a bug of Tierwall, please report it",
    };
  return {
    result: "Different",
    before: left,
    after: right,
    ...essentialOf(walk, [], walk.difference, budget),
  };
}

/** What becomes of the connection of a counterexample. */
export function outcomeOf({ decisions }: Confirmed): "allowed" | "allowed under a condition" | "denied" {
  const both = directions.map((direction) => decisions[direction]);
  if (both.some(({ verdict }) => verdict === "Deny")) return "denied";
  return both.some(isConditional) ? "allowed under a condition" : "allowed";
}
