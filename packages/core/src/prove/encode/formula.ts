import {
  type Answer,
  type Budget,
  FALSE,
  type Hints,
  type Literal,
  type Model,
  not,
  Solver,
  TRUE,
  variableOf,
} from "../sat/index.js";
import { Circuit, lasting } from "./circuit.js";

/** When the solver is given the clauses of gates: all at once, or those that questions turn out to need. */
export type Loading = "at once" | "on demand";

/** Models that are tried before the solver is given everything that a question can depend on. */
const mostTried = 24;
/** From then on, ever more is loaded for each. */
const fewTried = 6;

/*
 * Boolean formulas as clauses (Tseitin's transformation): each gate is a variable that is true exactly if its formula is.
 * A gate is made once: the same formula gives the same literal.
 */
export class Formula {
  private readonly gates = new Map<string, Literal>();
  private readonly circuit: Circuit;
  private model: Model | undefined;

  constructor(
    readonly solver = new Solver(),
    private readonly loading: Loading = "at once",
  ) {
    this.circuit = new Circuit(solver);
  }

  variable(): Literal {
    return this.solver.newVariable();
  }

  /** A free variable that is true where the premise is, which is a free variable too. */
  impliedBy(premise: Literal): Literal {
    return this.made(this.circuit.impliedBy(premise));
  }

  /** Demands that one of these holds. */
  require(...clause: readonly Literal[]): void {
    for (const literal of clause) this.circuit.load(literal, lasting);
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
    const inOrder = [...operands];
    return this.gate(inOrder.toSorted((a, b) => a - b).join(), () => this.circuit.and(inOrder));
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
    return this.gate(`?${condition},${then},${otherwise}`, () =>
      this.circuit.choose(condition, then, otherwise),
    );
  }

  /** Exactly one of them holds. */
  differ(a: Literal, b: Literal): Literal {
    return a === b ? FALSE : a === not(b) ? TRUE : this.choose(a, not(b), b);
  }

  /**
   * Whether everything that is demanded and all assumptions can hold together. A model of the clauses that the solver has been given
   * is tried: where a gate is not what it should be, the solver is given the clauses that say why.
   */
  solve(assumptions: readonly Literal[], budget: Budget = {}, hints: Hints = {}): Answer {
    const { solver, circuit } = this;
    if (this.loading === "on demand") {
      for (const literal of assumptions) circuit.loadImplied(literal);
      for (const literal of hints.preferences ?? []) circuit.load(literal);
    }
    const mostConflicts = solver.conflicts + (budget.conflicts ?? Infinity);
    for (let tried = 0; ; tried++) {
      const rest = { ...budget, conflicts: mostConflicts - solver.conflicts };
      const answer = solver.solve(assumptions, rest, hints);
      if (answer !== "satisfiable") return answer;
      const { model } = solver;
      const wrong =
        this.loading === "at once" ? [] : assumptions.filter((literal) => !circuit.isTrue(literal, model));
      if (wrong.length === 0) {
        this.model = model;
        return answer;
      }
      for (const literal of wrong)
        if (tried < mostTried)
          circuit.loadReasons(literal, model, tried < fewTried ? 0 : 1 << (tried - fewTried));
        else circuit.load(literal);
    }
  }

  /** Before questions about something else: what the last ones needed would only be in the way. */
  forgetQuestions(): void {
    if (this.loading === "on demand") this.circuit.unload();
  }

  /** Whether a literal is true in the last model. */
  isTrue(literal: Literal): boolean {
    return this.loading === "at once"
      ? this.solver.isTrue(literal)
      : this.model !== undefined && this.circuit.isTrue(literal, this.model);
  }

  /**
   * Whether literals that are true in the last model would be true if one of its free variables had its other value. What is
   * demanded is not looked at.
   */
  withoutOne(literals: readonly Literal[]): (flipped: Literal) => boolean {
    const { circuit, model } = this;
    if (this.loading === "at once" || model === undefined) return () => false;
    const support = circuit.supportOf(literals, model);
    return (flipped) => {
      if (!support.has(variableOf(flipped))) return true;
      const changed = model.slice();
      changed[flipped & ~1] = circuit.isTrue(flipped & ~1, model) ? -1 : 1;
      return literals.every((literal) => circuit.isTrue(literal, changed));
    };
  }

  private gate(name: string, make: () => Literal): Literal {
    const known = this.gates.get(name);
    if (known !== undefined) return known;
    const gate = this.made(make());
    this.gates.set(name, gate);
    return gate;
  }

  private made(gate: Literal): Literal {
    if (this.loading === "at once") this.circuit.load(gate, lasting);
    return gate;
  }
}
