import { type Literal, type Model, not, type Solver, variableOf, withRoom } from "../sat/index.js";

/*
 * Gates and what they are made of, in one typed array:
 *
 *   … | size, operand, operand … | choice, condition, then, otherwise | implied, premise | …
 *
 * The solver is given the clauses of a gate when a question needs them, and not before: few rules of a thousand policies
 * matter between two teams. Without its clauses, a gate is a variable that may have any value. So what is unsatisfiable
 * without some of them is unsatisfiable; and a model is one of the whole formula if the gates of the question, computed
 * from the free variables, have the values that are asked for.
 */
export class Circuit {
  private definitions = new Int32Array(1 << 10);
  private end = 1;
  /** By variable: where its definition begins, or 0. */
  private starts = new Int32Array(64);
  private loaded = new Uint8Array(64);
  /** By variable: of how many gates it is made, at most. */
  private sizes = new Uint8Array(64);
  /** By literal: 1 true, -1 false, 0 not computed yet. */
  private values = new Int8Array(128);
  /** The variables with values, and the model that these are for. */
  private computed = new Int32Array(64);
  private computedCount = 0;
  private valuesOf: Model | undefined;
  /** The gates that are being computed, each within the one before; and how many operands of each are known to be true. */
  private path = new Int32Array(64);
  private positions = new Int32Array(64);

  constructor(private readonly solver: Solver) {}

  /** Looked at in this order: what is likely to be false, and small, comes first. */
  and(operands: readonly Literal[]): Literal {
    return this.define(this.solver.newVariable("gate"), operands.length, operands);
  }

  choose(condition: Literal, then: Literal, otherwise: Literal): Literal {
    return this.define(this.solver.newVariable("gate"), choice, [condition, then, otherwise]);
  }

  /** A free variable that is true where the premise is, which is a free variable too. */
  impliedBy(premise: Literal): Literal {
    return this.define(this.solver.newVariable(), implied, [premise]);
  }

  /** Gives the solver the clauses of a gate, and of everything that it is made of. `lasting`: they are never forgotten. */
  load(literal: Literal, extent: typeof withOperands | typeof lasting = withOperands): void {
    this.reserve();
    const open = [literal];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const variable = variableOf(next);
      if (this.loaded[variable]! >= extent) continue;
      this.loadOne(variable, extent);
      this.loaded[variable] = extent;
      for (const operand of this.operandsOf(variable)) open.push(operand);
    }
  }

  /** Gives the solver the clause of an implied variable: otherwise it could have any value, as it is free. */
  loadImplied(literal: Literal, extent = alone): void {
    this.reserve();
    if (this.kindOf(variableOf(literal)) === implied) this.loadOne(variableOf(literal), extent);
  }

  /**
   * Gives the solver the clauses from which it follows that a literal is false where the free variables are as in a model. `more`: so
   * many other small operands of each gate are loaded too, as they may be the next reasons.
   */
  loadReasons(literal: Literal, model: Model, more: number): void {
    this.isTrue(literal, model);
    const seen = new Set<number>();
    const open = [variableOf(literal)];
    for (let variable = open.pop(); variable !== undefined; variable = open.pop()) {
      if (this.starts[variable] === 0 || seen.has(variable)) continue;
      seen.add(variable);
      this.loadOne(variable);
      if (more > 0) this.loadSmall(variable, more);
      for (const operand of this.reasonsOf(variable)) open.push(variableOf(operand));
    }
  }

  /** What is not lasting is forgotten by the solver. */
  unload(): void {
    this.solver.forgetTemporary();
    for (let variable = 0; variable < this.loaded.length; variable++)
      if (this.loaded[variable] !== lasting) this.loaded[variable] = 0;
  }

  /** Whether a literal is true where the free variables are as in a model. */
  isTrue(literal: Literal, model: Model): boolean {
    this.reserve();
    if (this.valuesOf !== model) this.forgetValues(model);
    if (this.values[literal] === 0) this.compute(variableOf(literal), model);
    return this.values[literal] === 1;
  }

  /** The free variables that were looked at to find out that literals are true in a model: whatever the others are, they are true. */
  supportOf(literals: readonly Literal[], model: Model): ReadonlySet<number> {
    this.forgetValues(model);
    for (const literal of literals) this.isTrue(literal, model);
    const isFree = (variable: number) => this.starts[variable] === 0 || this.kindOf(variable) === implied;
    return new Set(this.computed.subarray(0, this.computedCount).filter(isFree));
  }

  private forgetValues(model: Model): void {
    const { values, computed } = this;
    for (let i = 0; i < this.computedCount; i++) {
      const literal = computed[i]! * 2;
      values[literal] = values[literal + 1] = 0;
    }
    this.computedCount = 0;
    this.valuesOf = model;
  }

  /** Depth first, as far as is needed. A walk over thousands of rules is as deep as they are many, hence the explicit stack. */
  private compute(root: number, model: Model): void {
    const { definitions, starts, values, path, positions } = this;
    let top = 0;
    path[0] = root;
    positions[0] = 0;
    while (top >= 0) {
      const variable = path[top]!;
      const start = starts[variable]!;
      const kind = definitions[start]!;
      let operand: Literal = variable * 2;
      let value = start === 0 || kind === implied ? (model[operand] ?? 0) : 0;
      if (start === 0) value ||= -1;
      else if (kind === choice) {
        operand = definitions[start + 1]!;
        const condition = values[operand]!;
        if (condition !== 0) {
          operand = definitions[start + (condition === 1 ? 2 : 3)]!;
          value = values[operand]!;
        }
      } else if (value === 0) {
        // An implied variable that the model does not mention is as its premise: a conjunction of one.
        const size = kind === implied ? 1 : kind;
        for (value = 1; value === 1 && positions[top]! < size; ) {
          operand = definitions[start + 1 + positions[top]!]!;
          value = values[operand]!;
          if (value === 1) positions[top]!++;
        }
      }
      if (value === 0) {
        path[++top] = variableOf(operand);
        positions[top] = 0;
      } else {
        values[variable * 2] = value;
        values[variable * 2 + 1] = -value;
        this.computed[this.computedCount++] = variable;
        top--;
      }
    }
  }

  /** The first operands that are not loaded and that are no walks over many rules. */
  private loadSmall(variable: number, most: number): void {
    let count = 0;
    for (const operand of this.operandsOf(variable)) {
      const of = variableOf(operand);
      if (this.loaded[of]! >= withOperands || this.sizes[of] === large) continue;
      if (count++ === most) return;
      this.load(operand);
    }
  }

  /** Operands that suffice for the value that was computed. */
  private reasonsOf(variable: number): Iterable<Literal> {
    const { values } = this;
    const operands = this.operandsOf(variable);
    const kind = this.kindOf(variable);
    if (kind === implied) return [];
    if (kind === choice) return [operands[0]!, values[operands[0]!] === 1 ? operands[1]! : operands[2]!];
    return values[variable * 2] === 1 ? operands : [operands.find((literal) => values[literal] === -1)!];
  }

  private operandsOf(variable: number): Int32Array {
    const start = this.starts[variable]!;
    const kind = this.kindOf(variable);
    const size = kind === choice ? 3 : kind === implied ? 1 : kind;
    return this.definitions.subarray(start + 1, start + 1 + size);
  }

  /** Of a free variable: no operands. */
  private kindOf(variable: number): number {
    return this.definitions[this.starts[variable]!]!;
  }

  /** Tseitin's transformation of one gate. */
  private loadOne(variable: number, extent = alone): void {
    if (this.starts[variable] === 0 || this.loaded[variable]! >= (extent === lasting ? lasting : alone))
      return;
    this.loaded[variable] = alone;
    const add = (clause: readonly Literal[]): void =>
      this.solver.addClause(clause, extent === lasting ? "lasting" : "temporary");
    const gate = variable * 2;
    const operands = this.operandsOf(variable);
    const kind = this.kindOf(variable);
    for (const operand of operands) this.loadImplied(operand, extent);
    if (kind === implied) add([not(operands[0]!), gate]);
    else if (kind === choice) {
      const [condition, then, otherwise] = operands as unknown as [Literal, Literal, Literal];
      add([not(condition), not(then), gate]);
      add([not(condition), then, not(gate)]);
      add([condition, not(otherwise), gate]);
      add([condition, otherwise, not(gate)]);
    } else {
      for (const operand of operands) add([not(gate), operand]);
      add([gate, ...Array.from(operands, not)]);
    }
  }

  private define(gate: Literal, kind: number, operands: readonly Literal[]): Literal {
    this.reserve();
    this.definitions = withRoom(this.definitions, this.end + operands.length + 1);
    this.starts[variableOf(gate)] = this.end;
    this.definitions[this.end] = kind;
    this.definitions.set(operands, this.end + 1);
    this.end += operands.length + 1;
    const size = operands.reduce((sum, operand) => sum + this.sizes[variableOf(operand)]!, 1);
    this.sizes[variableOf(gate)] = Math.min(size, large);
    return gate;
  }

  private reserve(): void {
    const { variables } = this.solver;
    if (variables <= this.starts.length) return;
    this.starts = withRoom(this.starts, variables);
    this.loaded = withRoom(this.loaded, this.starts.length);
    this.sizes = withRoom(this.sizes, this.starts.length);
    this.values = withRoom(this.values, this.starts.length * 2);
    for (const name of ["computed", "path", "positions"] as const)
      this[name] = withRoom(this[name], this.starts.length);
  }
}

/* Whose clauses the solver has: those of the gate; also those of everything that it is made of; and for good. */
const alone = 1;
const withOperands = 2;
export const lasting = 3;

/** Gates of which a gate is made: so many, or more. */
const large = 255;

/* Kinds of definitions; any other is the number of operands of a conjunction. */
const choice = -1;
const implied = -2;
