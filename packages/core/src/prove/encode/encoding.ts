import type { CidrGroup } from "../../cluster/model.js";
import { type Direction, directions, type Isolation, type Rule, type Tiers } from "../../policy/model.js";
import { type Answer, type Budget, type Hints, type Literal, not, Solver } from "../sat/index.js";
import { byDirection, Connection } from "./connection.js";
import { EncodedWalk } from "./encoded-walk.js";
import { Formula } from "./formula.js";
import { Matching } from "./match.js";
import type { OwnerRules } from "./owner-rules.js";

/** Connections that satisfy a formula. */
export interface Models {
  readonly connection: Connection;
  readonly solver: Solver;
  readonly ownerRules?: OwnerRules;
  /** Closes the vocabulary, and looks for a connection under assumptions. */
  solve(assumptions: readonly Literal[], budget?: Budget): Answer;
}

/*
 * All connections of all clusters under some policies, as one formula:
 *
 *   Connection ──► Matching ──► EncodedWalk ──► allows · allowsConditionally, in each direction
 *   variables      who matches  first match
 *
 * Each question is a call of `solve` under assumptions. What is learned for one helps the next.
 */
export class Encoding implements Models {
  readonly connection: Connection;
  readonly matching: Matching;
  readonly allows: Readonly<Record<Direction, Literal>>;
  readonly allowsConditionally: Readonly<Record<Direction, Literal>>;
  /** Both directions allow. */
  readonly allowed: Literal;
  /** Both directions allow, and neither under a condition. */
  readonly allowedPlainly: Literal;
  /** Off, a rule or an isolation is as if it were not there. */
  readonly switches: ReadonlyMap<Rule | Isolation, Literal>;
  /** The other way round. */
  readonly parts: ReadonlyMap<Literal, Rule | Isolation>;
  /** All of them are on. */
  readonly asWritten: Literal;

  constructor(
    readonly tiers: Tiers,
    cidrGroups: readonly CidrGroup[],
    solver?: Solver,
  ) {
    const formula = new Formula(solver ?? new Solver(undefined, undefined, false), "on demand");
    this.connection = new Connection(formula);
    this.matching = new Matching(this.connection, cidrGroups);
    this.asWritten = formula.variable();
    const walk = new EncodedWalk(this.matching, tiers, { asWritten: this.asWritten });
    this.allows = byDirection((direction) => walk.allows(direction));
    this.allowsConditionally = byDirection((direction) => walk.allowsConditionally(direction));
    this.allowed = formula.and(directions.map((direction) => this.allows[direction]));
    const conditions = directions.map((direction) => not(this.allowsConditionally[direction]));
    this.allowedPlainly = formula.and([this.allowed, ...conditions]);
    this.switches = walk.switches;
    this.parts = new Map([...walk.switches].map(([part, literal]) => [literal, part]));
  }

  get solver(): Solver {
    return this.connection.formula.solver;
  }

  solve(assumptions: readonly Literal[], budget?: Budget, hints?: Hints): Answer {
    return this.connection.solve(assumptions, budget, hints);
  }
}
