import type { Direction, Rule } from "../../policy/model.js";
import { Connection, EncodedWalk, Formula, Matching } from "../encode/index.js";
import { type Budget, FALSE, type Literal } from "../sat/index.js";
import type { AlignedTier, Policies } from "./aligned-tiers.js";
import type { Segment } from "./alignment.js";

/*
 * Rules that correspond to each other are compared on their own: whatever follows them, they decide the same. What the
 * rest of the walk decides is a variable for that, so that a small formula suffices, however many rules there are.
 */

interface Candidate {
  readonly segment: Segment<Rule>;
  readonly direction: Direction;
}

/** Rules of one formula. Many small formulas are faster than a large one, and each has to be set up. */
const mostRules = 80;
/** What takes longer is left to the comparison of whole walks. */
const mostConflicts = 5000;

/** The segments that decide the same, whatever follows behind them. */
export function equalSegments(
  tiers: readonly AlignedTier[],
  before: Policies,
  after: Policies,
  budget: Budget,
): ReadonlySet<Segment<Rule>> {
  const equal = new Set<Segment<Rule>>();
  const candidates: Candidate[] = [];
  for (const { direction, segments } of tiers)
    for (const segment of segments)
      if (segment.isEqual) equal.add(segment);
      else candidates.push({ segment, direction });
  for (const batch of batchesOf(candidates))
    for (const segment of equalIn(batch, before, after, budget)) equal.add(segment);
  return equal;
}

function batchesOf(candidates: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const batches: Candidate[][] = [];
  let size = Infinity;
  for (const candidate of candidates) {
    const rules = candidate.segment.before.length + candidate.segment.after.length;
    if (size + rules > mostRules) [size] = [batches.push([]) && 0];
    batches.at(-1)!.push(candidate);
    size += rules;
  }
  return batches;
}

function equalIn(
  batch: readonly Candidate[],
  before: Policies,
  after: Policies,
  { deadline }: Budget,
): readonly Segment<Rule>[] {
  const formula = new Formula();
  const connection = new Connection(formula);
  const [left, right] = [before, after].map(
    ({ tiers, cidrGroups }) => new EncodedWalk(new Matching(connection, cidrGroups), tiers),
  );
  const unknown = { next: formula.variable(), allowed: formula.variable(), rest: formula.variable() };
  const differences = batch.map(({ segment, direction }): Literal => {
    const decided = (walk: EncodedWalk, rules: readonly Rule[]) => walk.walkRules(rules, direction, unknown);
    const walked = formula.differ(decided(left!, segment.before), decided(right!, segment.after));
    if (direction === "egress") return walked;
    const bound = formula.differ(left!.bindingMatch(segment.before), right!.bindingMatch(segment.after));
    return formula.or([walked, bound]);
  });
  connection.close();
  const limits = { conflicts: mostConflicts, ...(deadline === undefined ? {} : { deadline }) };
  const isImpossible = (difference: Literal) =>
    difference === FALSE || formula.solver.solve([difference], limits) === "unsatisfiable";
  const isAllEqual = isImpossible(formula.or(differences));
  return batch.flatMap(({ segment }, i) => (isAllEqual || isImpossible(differences[i]!) ? [segment] : []));
}
