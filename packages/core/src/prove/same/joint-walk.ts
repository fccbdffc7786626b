import { given } from "../../diagnostics/given.js";
import { type Direction, directions, type Rule, type Tier, type Tiers } from "../../policy/model.js";
import {
  byDirection,
  Connection,
  EncodedWalk,
  Formula,
  Matching,
  type Models,
  type OwnerAct,
  ownerActs,
  OwnerRules,
  type Steps,
} from "../encode/index.js";
import { type Answer, type Budget, FALSE, type Literal, not, type Solver } from "../sat/index.js";
import type { AlignedTier, Policies } from "./aligned-tiers.js";
import type { Segment } from "./alignment.js";
import { ownerPolicies } from "./cilium-item.js";
import { differentGroups } from "./different-groups.js";

/*
 * The walks of both sides in one formula, step by step from the end:
 *
 *   before   … ── segment ──●── segment ──●── end of the tier
 *                           │             │
 *   after    … ── segment ──●── segment ──●── end of the tier
 *
 * At each ● both have decided something. Where that is proven to be the same, both go on with the same literal: everything before
 * it that they have in common is then encoded once, and no longer a question.
 */
export class JointWalk implements Models {
  readonly connection: Connection;
  /** A connection on which the two sides differ: allowed, or allowed without a condition, by one of them only. */
  readonly difference: Literal;
  /** What owners may add that does not do the same on both sides. */
  readonly ownerRules?: OwnerRules;
  /** Steps that are not asked about, after a step at which the sides differ; more each time. */
  private skipped = 0;
  private patience = 0;

  constructor(
    before: Policies,
    after: Policies,
    aligned: readonly AlignedTier[],
    equal: ReadonlySet<Segment<Rule>>,
    { owners, budget }: { readonly owners: Owners; readonly budget: Budget },
  ) {
    const formula = new Formula();
    this.connection = new Connection(formula);
    for (const direction of directions)
      for (const act of impossibleActs[owners]) formula.require(not(this.connection.owners[direction][act]));
    if (owners === "write Cilium")
      this.ownerRules = new OwnerRules(
        this.connection,
        ownerPolicies,
        differentGroups(before.cidrGroups, after.cidrGroups),
      );
    const walkOf = (side: "before" | "after", { cidrGroups }: Policies) =>
      new EncodedWalk(new Matching(this.connection, cidrGroups), tiersOf(aligned, side), {
        segments: segmentsOf(aligned, side, equal),
        ...given({ ownerRules: this.ownerRules }),
      });
    const sides = [walkOf("before", before), walkOf("after", after)] as const;
    const allowed: Literal[][] = [[], []];
    const conditional: Literal[][] = [[], []];
    for (const direction of directions) {
      const [left, right] = sides.map((side) => side.steps(direction, "allows"));
      for (const [i, literal] of this.inStep(left!, right!, budget).entries()) allowed[i]!.push(literal);
      if (sides.every((side) => side.isPlain(direction))) continue;
      const [ours, theirs] = sides.map((side) => side.steps(direction, "allows conditionally"));
      for (const [i, literal] of this.inStep(ours!, theirs!, budget).entries()) conditional[i]!.push(literal);
    }
    const [a, b] = allowed.map((literals) => formula.and(literals));
    const [c, d] = [a!, b!].map((literal, i) => formula.and([literal, ...conditional[i]!.map(not)]));
    this.difference = formula.or([formula.differ(a!, b!), formula.differ(c!, d!)]);
  }

  get solver(): Solver {
    return this.connection.formula.solver;
  }

  solve(assumptions: readonly Literal[], budget?: Budget): Answer {
    this.connection.close();
    return this.solver.solve(assumptions, budget);
  }

  private inStep(left: Steps, right: Steps, budget: Budget): readonly [Literal, Literal] {
    let [a, b] = [left.next(), right.next()];
    while (!a.done && !b.done) {
      const [ours, theirs] = this.merged(a.value, b.value, budget);
      [a, b] = [left.next(ours), right.next(theirs)];
    }
    return this.merged(a.value, b.value, budget);
  }

  /** One literal for both where they are proven to be equal. */
  private merged(left: Literal, right: Literal, { deadline }: Budget): readonly [Literal, Literal] {
    if (left === right || this.skipped-- > 0) return [left, right];
    const difference = this.connection.formula.differ(left, right);
    const limits = { conflicts: mostConflicts, ...(deadline === undefined ? {} : { deadline }) };
    if (difference === FALSE || this.solve([difference], limits) === "unsatisfiable") {
      this.patience = this.skipped = 0;
      return [left, left];
    }
    this.skipped = this.patience;
    this.patience = this.patience * 2 + 1;
    return [left, right];
  }
}

/** What the owners of namespaces may add to both sides. */
export type Owners = keyof typeof impossibleActs;

const impossibleActs = {
  "write Cilium": [],
  "write NetworkPolicies": ["deny"],
  "write nothing": ownerActs,
} as const satisfies Readonly<Record<string, readonly OwnerAct[]>>;

/** At one step. The last question has all the time that there is. */
const mostConflicts = 2000;

const tiersOf = (aligned: readonly AlignedTier[], side: "before" | "after"): Tiers =>
  byDirection((direction: Direction) =>
    aligned.filter((tier) => tier.direction === direction).map((tier) => tier[side]),
  );

/** On both sides the same rules where they decide the same; what is between two differences is one segment. */
function segmentsOf(
  aligned: readonly AlignedTier[],
  side: "before" | "after",
  equal: ReadonlySet<Segment<Rule>>,
): ReadonlyMap<Tier, readonly (readonly Rule[])[]> {
  return new Map(
    aligned.map((tier) => {
      const segments: Rule[][] = [[]];
      for (const segment of tier.segments)
        if (equal.has(segment)) segments.at(-1)!.push(...segment.before);
        else segments.push([...segment[side]], []);
      return [tier[side], segments];
    }),
  );
}
