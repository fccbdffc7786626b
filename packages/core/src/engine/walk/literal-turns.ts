import type { PodEndpoint } from "../../evaluate/flow.js";
import { isOwnNode, type Situation } from "../../evaluate/match.js";
import { type Decider, foreignDecides, isolatingIn, ruleMatches } from "../../evaluate/walk.js";
import type { Direction, Tier } from "../../policy/model.js";

/** A decider that matches a connection, with all facts settled, and the decider that precedes it, if any. */
export interface LiteralTurn {
  readonly by: Decider;
  readonly keptBy: Decider | undefined;
}

/** All turns for a connection at the pod `subject`, in order, including those after the connection is decided. */
export function literalTurns(
  direction: Direction,
  tiers: readonly Tier[],
  subject: PodEndpoint,
  situation: Situation,
): readonly LiteralTurn[] {
  const { source, destination } = situation.flow;
  const other = direction === "egress" ? destination : source;
  const turns: LiteralTurn[] = [];
  const speak = (by: Decider, keptBy: Decider | undefined) => {
    turns.push({ by, keptBy });
    return keptBy ?? by;
  };
  // For turns after the decision it is enough that they may match: their facts need not be explored.
  const settled = { ...situation, unknowns: situation.unknowns.supposing(true) };
  // S1.6, S7.8
  const fromOwnNode = direction === "ingress" && isOwnNode(subject, other, situation.unknowns);
  let ended: Decider | undefined;
  for (const tier of tiers) {
    let first: Decider | undefined = ended;
    for (const rule of tier.rules) {
      if (fromOwnNode && !rule.bindsOwnNode) continue;
      const known = first === undefined ? situation : settled;
      if (!ruleMatches(rule, subject, other, known)) continue;
      // S9.3: where foreign objects leave it to the tiers below, none of them decides.
      if (rule.condition?.kind === "foreign" && !foreignDecides(rule, tier, subject, other, known)) break;
      first = speak({ kind: "rule", tier: tier.name, rule }, first);
    }
    const isolation = fromOwnNode ? [] : isolatingIn(tier, subject);
    if (isolation.length > 0) first = speak({ kind: "isolation", tier: tier.name, isolation }, first);
    if (first?.kind === "rule" && first.rule.action === "Pass") continue;
    ended = first;
  }
  speak({ kind: fromOwnNode ? "own-node" : "default" }, ended);
  return turns;
}
