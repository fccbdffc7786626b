import type { Literal, ProofTrace } from "../src/prove/sat/index.js";

/*
 * An independent check of "unsatisfiable": each learned clause must follow by reverse unit propagation. It is negated,
 * unit clauses are propagated, and that must end in a conflict. Shares no code with the solver, and is slow on purpose.
 */

const negated = (literal: Literal): Literal => (literal % 2 === 0 ? literal + 1 : literal - 1);
const nameOf = (clause: readonly Literal[]): string => clause.toSorted((a, b) => a - b).join();

export class DrupChecker implements ProofTrace {
  private readonly clauses = new Map<string, readonly Literal[]>();
  private readonly names = new Map<Literal, Set<string>>();
  /** Clauses that do not follow; a correct solver leaves this empty. */
  readonly unproven: (readonly Literal[])[] = [];
  steps = 0;

  readonly given = (clause: readonly Literal[]): void => this.add(clause);

  readonly learned = (clause: readonly Literal[]): void => {
    this.steps++;
    if (!this.follows(clause)) this.unproven.push(clause);
    this.add(clause);
  };

  readonly deleted = (clause: readonly Literal[]): void => {
    this.clauses.delete(nameOf(clause));
    for (const literal of clause) this.names.get(literal)?.delete(nameOf(clause));
  };

  /** Whether a clause, such as that of a core, follows by unit propagation. */
  follows(clause: readonly Literal[]): boolean {
    const holds = new Set<Literal>();
    const queue = clause.map(negated);
    // All unit clauses, and then whatever a new value makes a unit.
    for (const each of this.clauses.values()) {
      if (each.length === 0) return true;
      if (each.length === 1) queue.push(each[0]!);
    }
    for (let literal = queue.pop(); literal !== undefined; literal = queue.pop()) {
      if (holds.has(negated(literal))) return true;
      if (holds.has(literal)) continue;
      holds.add(literal);
      for (const name of this.names.get(negated(literal)) ?? []) {
        const touched = this.clauses.get(name)!;
        if (touched.some((other) => holds.has(other))) continue;
        const open = touched.filter((other) => !holds.has(negated(other)));
        if (open.length === 0) return true;
        if (open.length === 1) queue.push(open[0]!);
      }
    }
    return false;
  }

  private add(clause: readonly Literal[]): void {
    const distinct = [...new Set(clause)];
    const name = nameOf(distinct);
    this.clauses.set(name, distinct);
    for (const literal of distinct) {
      const watching = this.names.get(literal) ?? new Set();
      watching.add(name);
      this.names.set(literal, watching);
    }
  }
}
