import { FALSE, type Literal, not, Solver, TRUE } from "../sat/index.js";

/*
 * Boolean formulas as clauses (Tseitin's transformation): each gate is a variable that is true exactly if its formula is.
 * A gate is made once: the same formula gives the same literal.
 */
export class Formula {
  private readonly gates = new Map<string, Literal>();

  constructor(readonly solver = new Solver()) {}

  variable(): Literal {
    return this.solver.newVariable();
  }

  /** Demands that one of these holds. */
  require(...clause: readonly Literal[]): void {
    this.solver.addClause(clause);
  }

  and(literals: readonly Literal[]): Literal {
    const operands = new Set<Literal>();
    for (const literal of literals) {
      if (literal === FALSE || operands.has(not(literal))) return FALSE;
      if (literal !== TRUE) operands.add(literal);
    }
    const [first] = operands;
    if (first === undefined) return TRUE;
    if (operands.size === 1) return first;
    const sorted = [...operands].toSorted((a, b) => a - b);
    return this.gate(sorted.join(), (gate) => {
      for (const operand of sorted) this.require(not(gate), operand);
      this.require(gate, ...sorted.map(not));
    });
  }

  or(literals: readonly Literal[]): Literal {
    return not(this.and(literals.map(not)));
  }

  choose(condition: Literal, then: Literal, otherwise: Literal): Literal {
    if (condition === TRUE || then === otherwise) return then;
    if (condition === FALSE) return otherwise;
    if (then === TRUE) return this.or([condition, otherwise]);
    if (then === FALSE) return this.and([not(condition), otherwise]);
    if (otherwise === TRUE) return this.or([not(condition), then]);
    if (otherwise === FALSE) return this.and([condition, then]);
    return this.gate(`?${condition},${then},${otherwise}`, (gate) => {
      this.require(not(condition), not(then), gate);
      this.require(not(condition), then, not(gate));
      this.require(condition, not(otherwise), gate);
      this.require(condition, otherwise, not(gate));
    });
  }

  /** Exactly one of them holds. */
  differ(a: Literal, b: Literal): Literal {
    return a === b ? FALSE : a === not(b) ? TRUE : this.choose(a, not(b), b);
  }

  private gate(name: string, define: (gate: Literal) => void): Literal {
    const known = this.gates.get(name);
    if (known !== undefined) return known;
    const gate = this.solver.newVariable("gate");
    this.gates.set(name, gate);
    define(gate);
    return gate;
  }
}
