import fc from "fast-check";
import { expect, it } from "vitest";
import { DrupChecker } from "../../../testing/drup-checker.js";
import { type Literal, not, Solver } from "../sat/index.js";
import { Formula, type Loading } from "./formula.js";

/** A gate over literals that come before it: numbers are taken modulo how many there are. */
type Gate = readonly [kind: "and" | "or" | "choose" | "implied", a: number, b: number, c: number];

interface Question {
  readonly assumptions: readonly number[];
  readonly preferences: readonly number[];
  /** Whether what earlier questions needed is forgotten first. */
  readonly isFirst: boolean;
}

const number = fc.nat({ max: 1000 });
const anyGate: fc.Arbitrary<Gate> = fc.tuple(
  fc.constantFrom("and", "or", "choose", "implied"),
  number,
  number,
  number,
);
const anyQuestion: fc.Arbitrary<Question> = fc.record({
  assumptions: fc.array(number, { minLength: 1, maxLength: 3 }),
  preferences: fc.array(number, { maxLength: 4 }),
  isFirst: fc.boolean(),
});

const freeVariables = 4;

/** What a literal is worth, where free variables have these values. */
type Value = (world: number) => boolean;

/** A formula, and the same as functions that are computed for each assignment of its free variables. */
class Twice {
  readonly formula: Formula;
  readonly literals: Literal[] = [];
  readonly values: Value[] = [];
  /** Free variables from which nothing follows: their literals, by bit of a world. */
  readonly independent = new Map<number, Literal>();
  private demanded: Value = () => true;
  private free = 0;

  constructor(
    solver: Solver,
    loading: Loading,
    gates: readonly Gate[],
    clauses: readonly (readonly number[])[],
  ) {
    this.formula = new Formula(solver, loading);
    for (let i = 0; i < freeVariables; i++) this.addFree(this.formula.variable());
    for (const gate of gates) this.addGate(gate);
    for (const clause of clauses) {
      const parts = clause.map((each) => this.at(each));
      this.formula.require(...parts.map(({ literal }) => literal));
      const before = this.demanded;
      this.demanded = (world) => before(world) && parts.some(({ value }) => value(world));
    }
  }

  at(each: number): { readonly literal: Literal; readonly value: Value } {
    const index = (each >> 1) % this.literals.length;
    const [literal, value] = [this.literals[index]!, this.values[index]!];
    return each % 2 === 0 ? { literal, value } : { literal: not(literal), value: (world) => !value(world) };
  }

  /** The assignments that satisfy what is demanded. */
  get worlds(): readonly number[] {
    return Array.from({ length: 1 << this.free }, (_, world) => world).filter(this.demanded);
  }

  private addFree(literal: Literal): void {
    const bit = this.free++;
    this.literals.push(literal);
    this.independent.set(bit, literal);
    this.values.push((world) => ((world >> bit) & 1) === 1);
  }

  private addGate([kind, ...operands]: Gate): void {
    const [a, b, c] = operands.map((each) => this.at(each));
    const { formula } = this;
    if (kind === "implied") {
      const premise = this.at(operands[0] % (2 * freeVariables));
      this.independent.delete((operands[0] % (2 * freeVariables)) >> 1);
      this.addFree(formula.impliedBy(premise.literal));
      const [before, own] = [this.demanded, this.values.at(-1)!];
      this.demanded = (world) => before(world) && (!premise.value(world) || own(world));
      return;
    }
    const literals = [a!.literal, b!.literal, c!.literal] as const;
    this.literals.push(kind === "choose" ? formula.choose(...literals) : formula[kind](literals));
    const all = [a!, b!, c!];
    this.values.push((world) => {
      if (kind === "choose") return a!.value(world) ? b!.value(world) : c!.value(world);
      return kind === "and" ? all.every(({ value }) => value(world)) : all.some(({ value }) => value(world));
    });
  }
}

it.each(["at once", "on demand"] as const)(
  "decides as brute force does, with clauses given %s",
  (loading) => {
    const seen = { satisfiable: 0, unsatisfiable: 0 };
    fc.assert(
      fc.property(
        fc.array(anyGate, { minLength: 4, maxLength: 20 }),
        fc.array(fc.array(number, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
        fc.array(anyQuestion, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (gates, clauses, questions, decidesOnGates) => {
          const checker = new DrupChecker();
          const few = gates.filter(([kind], i) => kind !== "implied" || i < 6);
          const twice = new Twice(new Solver(checker, undefined, decidesOnGates), loading, few, clauses);
          for (const question of questions) seen[faultless(twice, loading, question, checker)]++;
          expect(checker.unproven).toEqual([]);
        },
      ),
      { numRuns: 400 },
    );
    expect(Math.min(seen.satisfiable, seen.unsatisfiable)).toBeGreaterThan(10);
  },
);

function faultless(
  twice: Twice,
  loading: Loading,
  { assumptions, preferences, isFirst }: Question,
  checker: DrupChecker,
) {
  const { formula } = twice;
  if (isFirst) formula.forgetQuestions();
  const [assumed, preferred] = [assumptions, preferences].map((list) => list.map((each) => twice.at(each)));
  const literalsOf = (list: typeof assumed) => list!.map(({ literal }) => literal);
  let worlds = twice.worlds.filter((world) => assumed!.every(({ value }) => value(world)));
  const answer = formula.solve(literalsOf(assumed), {}, { preferences: literalsOf(preferred) });
  expect(answer).toBe(worlds.length > 0 ? "satisfiable" : "unsatisfiable");
  if (answer !== "satisfiable") {
    expect(checker.follows(formula.solver.core.map(not))).toBe(true);
    return "unsatisfiable";
  }
  // Each preference is satisfied that can be, with those before it.
  for (const { value } of preferred!) {
    const better = worlds.filter(value);
    if (better.length > 0) worlds = better;
  }
  const isModel = (world: number): boolean =>
    twice.values.every((value, i) => value(world) === formula.isTrue(twice.literals[i]!));
  const model = worlds.find(isModel);
  expect(model).toBeDefined();
  const holdsWithout = formula.withoutOne(literalsOf(assumed));
  for (const [bit, literal] of loading === "at once" ? [] : twice.independent)
    expect(holdsWithout(literal)).toBe(assumed!.every(({ value }) => value(model! ^ (1 << bit))));
  return "satisfiable";
}
