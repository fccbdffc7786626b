import type { ConnectionVerdict, Verdict, WalkVerdict } from "../../evaluate/evaluate.js";
import type { Decider } from "../../evaluate/walk.js";

/** Who decided a connection, in each direction. */
export interface FlowExplanation {
  readonly verdict: Verdict;
  readonly egress: DirectionExplanation;
  readonly ingress: DirectionExplanation;
}

export interface DirectionExplanation {
  readonly verdict: Verdict;
  /** What decides; or everything that may decide, if facts are missing (S9.1). */
  readonly deciders: readonly Decider[];
}

/** S1.4 */
export const noWalk: DirectionExplanation = { verdict: "Allow", deciders: [{ kind: "no-walk" }] };
export const byDefault: DirectionExplanation = { verdict: "Allow", deciders: [{ kind: "default" }] };
export const byOwnNode: DirectionExplanation = { verdict: "Allow", deciders: [{ kind: "own-node" }] };

export function explanationOf({ verdict, egress, ingress }: ConnectionVerdict): FlowExplanation {
  return { verdict, egress: directionOf(egress), ingress: directionOf(ingress) };
}

export function directionOf({ verdict, decisions }: WalkVerdict): DirectionExplanation {
  return { verdict, deciders: decisions.map(({ by }) => by) };
}
