import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DrupChecker } from "../../../testing/drup-checker.js";
import { FALSE, type Literal, not, Solver, TRUE, variableOf } from "./index.js";

/** Variables 1 to `count`; the constant is variable 0. */
const solverOf = (count: number, clauses: readonly (readonly Literal[])[], checker = new DrupChecker()) => {
  const solver = new Solver(checker);
  for (let i = 0; i < count; i++) solver.newVariable();
  for (const clause of clauses) solver.addClause(clause);
  return { solver, checker };
};

const holdsIn = (assignment: number, literal: Literal): boolean =>
  (((assignment >> (variableOf(literal) - 1)) & 1) ^ (literal & 1)) === 1;

const isSatisfiable = (count: number, clauses: readonly (readonly Literal[])[]): boolean => {
  for (let assignment = 0; assignment < 1 << count; assignment++)
    if (clauses.every((clause) => clause.some((literal) => holdsIn(assignment, literal)))) return true;
  return false;
};

/** About as many clauses as make satisfiable and unsatisfiable formulas equally frequent. */
const anyFormula = fc.integer({ min: 3, max: 10 }).chain((count) => {
  const literal = fc.integer({ min: 2, max: 2 * count + 1 });
  const clause = fc.array(literal, { minLength: 1, maxLength: 3 });
  return fc.record({
    count: fc.constant(count),
    clauses: fc.array(clause, { minLength: 2 * count, maxLength: 6 * count }),
    assumptions: fc.array(literal, { maxLength: 4 }),
  });
});

describe("the solver", () => {
  it("agrees with brute force, and every unsatisfiable answer has a DRUP proof", () => {
    const counts = { satisfiable: 0, unsatisfiable: 0 };
    fc.assert(
      fc.property(anyFormula, ({ count, clauses }) => {
        const { solver, checker } = solverOf(count, clauses);
        const answer = solver.solve();
        expect(answer).toBe(isSatisfiable(count, clauses) ? "satisfiable" : "unsatisfiable");
        counts[answer as keyof typeof counts]++;
        if (answer === "satisfiable")
          expect(clauses.every((clause) => clause.some((literal) => solver.isTrue(literal)))).toBe(true);
        else expect(checker.follows([])).toBe(true);
        expect(checker.unproven).toEqual([]);
      }),
      { numRuns: 1000 },
    );
    // More than 20 of 1000: a slice of the tests makes fewer runs.
    const runs = counts.satisfiable + counts.unsatisfiable;
    expect(Math.min(counts.satisfiable, counts.unsatisfiable)).toBeGreaterThan(runs / 50);
  });

  it("answers one question after the other, and its cores are cores", () => {
    let cores = 0;
    fc.assert(
      fc.property(anyFormula, fc.array(fc.nat()), ({ count, clauses, assumptions }, later) => {
        const { solver, checker } = solverOf(count, []);
        const given: (readonly Literal[])[] = [];
        // Clauses come in parts, with questions in between.
        for (const [i, clause] of clauses.entries()) {
          solver.addClause(clause);
          given.push(clause);
          if (i !== clauses.length - 1 && !later.some((n) => n % clauses.length === i)) continue;
          const units = assumptions.map((literal) => [literal]);
          const answer = solver.solve(assumptions);
          expect(answer).toBe(isSatisfiable(count, [...given, ...units]) ? "satisfiable" : "unsatisfiable");
          if (answer !== "unsatisfiable") continue;
          cores++;
          expect(solver.core.every((literal) => assumptions.includes(literal))).toBe(true);
          expect(isSatisfiable(count, [...given, ...solver.core.map((literal) => [literal])])).toBe(false);
          expect(checker.follows(solver.core.map(not))).toBe(true);
        }
        expect(checker.unproven).toEqual([]);
      }),
      { numRuns: 1000 },
    );
    expect(cores).toBeGreaterThan(50);
  });

  it("proves that pigeons do not fit into fewer holes, forgetting clauses on the way", () => {
    const checker = new DrupChecker();
    let deleted = 0;
    const trace = {
      given: checker.given,
      learned: checker.learned,
      deleted: (clause: readonly Literal[]) => (deleted++, checker.deleted(clause)),
    };
    const solver = new Solver(trace, 50);
    const { pigeons, holes } = { pigeons: 7, holes: 6 };
    const sits = Array.from({ length: pigeons }, () =>
      Array.from({ length: holes }, () => solver.newVariable()),
    );
    for (const row of sits) solver.addClause(row);
    for (let hole = 0; hole < holes; hole++)
      for (let a = 0; a < pigeons; a++)
        for (let b = 0; b < a; b++) solver.addClause([not(sits[a]![hole]!), not(sits[b]![hole]!)]);
    expect(solver.solve()).toBe("unsatisfiable");
    expect(checker.unproven).toEqual([]);
    expect(checker.follows([])).toBe(true);
    expect(deleted).toBeGreaterThan(0);
  });

  it("stops when its budget is exhausted, and can be asked again", () => {
    const { pigeons, holes } = { pigeons: 9, holes: 8 };
    const solver = new Solver();
    const sits = Array.from({ length: pigeons }, () =>
      Array.from({ length: holes }, () => solver.newVariable()),
    );
    for (const row of sits) solver.addClause(row);
    for (let hole = 0; hole < holes; hole++)
      for (let a = 0; a < pigeons; a++)
        for (let b = 0; b < a; b++) solver.addClause([not(sits[a]![hole]!), not(sits[b]![hole]!)]);
    expect(solver.solve([], { conflicts: 100 })).toBe("budget-exhausted");
    expect(solver.conflicts).toBe(100);
    expect(solver.solve([], { deadline: Date.now() - 1 })).toBe("budget-exhausted");
    expect(solver.solve([sits[0]![0]!, not(sits[0]![0]!)])).toBe("unsatisfiable");
    expect(new Set(solver.core)).toEqual(new Set([sits[0]![0]!, not(sits[0]![0]!)]));
  });

  it("knows its constants", () => {
    const solver = new Solver();
    expect(solver.solve([TRUE])).toBe("satisfiable");
    expect(solver.isTrue(TRUE)).toBe(true);
    expect(solver.solve([FALSE])).toBe("unsatisfiable");
    expect(solver.core).toEqual([FALSE]);
  });
});
