import { ActivityHeap } from "./activity-heap.js";
import { type ClauseRef, ClauseStore, headerSize, noClause } from "./clause-store.js";
import { type Literal, not, TRUE, variableOf } from "./literal.js";

/*
 * An incremental solver for propositional formulas in clauses: conflict-driven clause learning as in MiniSat (Eén and
 * Sörensson, 2003), which is the textbook for it.
 *
 *   decide ──► propagate ──┬─ no conflict: decide again, or every variable has a value: satisfiable
 *      ▲                   └─ conflict ──► analyze: learn a clause, go back to where it has one open literal
 *      └────────────────────────────────────────┘
 *
 * Assumptions are the first decisions. Where one of them turns out false, the decisions that made it so are the core.
 */

export type Answer = "satisfiable" | "unsatisfiable" | "budget-exhausted";

export interface Budget {
  /** Conflicts of this call. */
  readonly conflicts?: number;
  /** As `Date.now()` reports time. */
  readonly deadline?: number;
}

/** Literals, as a set or as keys of a map. */
export type Leaves = Pick<ReadonlySet<Literal>, "has">;

/** Hears of all clauses. Learned and deleted ones are a DRUP proof of what is unsatisfiable. */
export interface ProofTrace {
  readonly given: (clause: readonly Literal[]) => void;
  readonly learned: (clause: readonly Literal[]) => void;
  readonly deleted: (clause: readonly Literal[]) => void;
}

export class Solver {
  private readonly store = new ClauseStore();
  private readonly order = new ActivityHeap();
  /** By literal: 1 true, -1 false, 0 open. */
  private values = new Int8Array(64);
  /** By variable. */
  private levels = new Int32Array(32);
  private reasons = new Int32Array(32);
  private phases = new Uint8Array(32);
  private seen = new Uint8Array(32);
  private variableCount = 0;
  private trail: Literal[] = [];
  private levelStarts: number[] = [];
  private propagated = 0;
  private contradictory = false;
  /** Of the last call: those that the next one shares with it stay decided. */
  private assumed: readonly Literal[] = [];
  private lastModel = new Int8Array(0);
  private failed: readonly Literal[] = [];
  /** Since the solver was made. */
  conflicts = 0;

  constructor(
    private readonly trace?: ProofTrace,
    /** Past this many learned clauses, half of them are forgotten. */
    private maxLearned = 4000,
    /** Without it, only free variables are decided on: what is defined by them follows. Then models are found sooner. */
    private readonly decidesOnGates = true,
  ) {
    const constant = this.newVariable();
    this.addClause([constant]);
  }

  get variables(): number {
    return this.variableCount;
  }

  get clauses(): number {
    return this.store.given.length;
  }

  /** The positive literal of a new variable. The clauses of a gate make it follow from other variables. */
  newVariable(kind: "free" | "gate" = "free"): Literal {
    const variable = this.variableCount++;
    if (variable >= this.levels.length) this.growVariables();
    this.store.addVariable();
    this.order.add(variable, kind === "free" || this.decidesOnGates);
    this.reasons[variable] = noClause;
    return variable * 2;
  }

  /** Between calls of `solve` only. */
  addClause(clause: readonly Literal[]): void {
    this.trace?.given(clause);
    if (this.contradictory) return;
    this.backtrack(0);
    const literals = [...new Set(clause)].filter((literal) => this.values[literal] !== -1);
    if (literals.some((literal) => this.values[literal] === 1 || literals.includes(not(literal)))) return;
    if (literals.length >= 2) this.store.add(literals, 0);
    else if (literals.length === 1) this.assertUnit(literals[0]!);
    else this.contradict();
  }

  /**
   * Whether all clauses and all assumptions can hold together. Assumptions that the last call began with too cost nothing: what
   * follows from them is still there. A core names `leaves` in place of the assumptions that imply them.
   */
  solve(assumptions: readonly Literal[] = [], budget: Budget = {}, leaves: Leaves = noLeaves): Answer {
    this.failed = [];
    if (Date.now() > (budget.deadline ?? Infinity)) return "budget-exhausted";
    this.backtrack(this.sharedWith(assumptions));
    this.assumed = [...assumptions];
    const mostConflicts = this.conflicts + (budget.conflicts ?? Infinity);
    let untilRestart = restartUnit;
    let restarts = 0;
    while (!this.contradictory) {
      const conflict = this.propagate();
      if (conflict !== noClause) {
        this.conflicts++;
        if (this.levelStarts.length === 0) {
          this.contradict();
          break;
        }
        this.learn(conflict);
        if (--untilRestart === 0) {
          untilRestart = restartUnit * luby(++restarts);
          this.backtrack(Math.min(assumptions.length, this.levelStarts.length));
        }
        const late = this.conflicts % 128 === 0 && Date.now() > (budget.deadline ?? Infinity);
        if (this.conflicts >= mostConflicts || late) return "budget-exhausted";
        if (this.store.learned.length > this.maxLearned) this.reduceLearned();
        continue;
      }
      const next = this.nextDecision(assumptions, leaves);
      if (next === "satisfiable") {
        this.lastModel = this.values.slice(0, this.variableCount * 2);
        return "satisfiable";
      }
      if (next === "failed") return "unsatisfiable";
      this.levelStarts.push(this.trail.length);
      if (next !== undefined) this.assign(next, noClause);
    }
    return "unsatisfiable";
  }

  /** Whether a literal is true in the last model. */
  isTrue(literal: Literal): boolean {
    return this.lastModel[literal] === 1;
  }

  /** Of an unsatisfiable answer: assumptions that cannot hold together. */
  get core(): readonly Literal[] {
    return this.failed;
  }

  /** An assumption that is not true yet, or else the open variable that took part in most conflicts. */
  private nextDecision(
    assumptions: readonly Literal[],
    leaves: Leaves,
  ): Literal | undefined | "satisfiable" | "failed" {
    if (this.levelStarts.length < assumptions.length) {
      const assumption = assumptions[this.levelStarts.length]!;
      const value = this.values[assumption]!;
      if (value === 0) return assumption;
      // A level without a decision keeps levels and assumptions in step.
      if (value === 1) return undefined;
      this.failed = this.coreOf(assumption, leaves);
      this.trace?.learned(this.failed.map(not));
      return "failed";
    }
    for (let variable = this.order.pop(); variable !== undefined; variable = this.order.pop())
      if (this.values[variable * 2] === 0) return variable * 2 + (this.phases[variable]! ^ 1);
    return "satisfiable";
  }

  /** How many levels the last call decided as this one would. */
  private sharedWith(assumptions: readonly Literal[]): number {
    const most = Math.min(assumptions.length, this.assumed.length, this.levelStarts.length);
    let shared = 0;
    while (shared < most && assumptions[shared] === this.assumed[shared]) shared++;
    return shared;
  }

  private contradict(): void {
    if (!this.contradictory) this.trace?.learned([]);
    this.contradictory = true;
  }

  /** At level 0. */
  private assertUnit(literal: Literal): void {
    this.assign(literal, noClause);
    if (this.propagate() !== noClause) this.contradict();
  }

  private assign(literal: Literal, reason: ClauseRef): void {
    const variable = variableOf(literal);
    this.values[literal] = 1;
    this.values[not(literal)] = -1;
    this.levels[variable] = this.levelStarts.length;
    this.reasons[variable] = reason;
    this.trail.push(literal);
  }

  private backtrack(level: number): void {
    if (this.levelStarts.length <= level) return;
    const start = this.levelStarts[level]!;
    for (let i = this.trail.length - 1; i >= start; i--) {
      const literal = this.trail[i]!;
      const variable = variableOf(literal);
      this.values[literal] = this.values[not(literal)] = 0;
      this.phases[variable] = (literal & 1) ^ 1;
      this.order.insert(variable);
    }
    this.trail.length = start;
    this.levelStarts.length = level;
    this.propagated = start;
  }

  /** Draws all conclusions from clauses with one open literal. Returns a clause that is false, if there is one. */
  private propagate(): ClauseRef {
    const { store, values } = this;
    while (this.propagated < this.trail.length) {
      const falsified = not(this.trail[this.propagated++]!);
      const list = store.watches[falsified]!;
      const size = store.watchSizes[falsified]!;
      const { data } = store;
      let kept = 0;
      for (let i = 0; i < size; i += 2) {
        const clause = list[i]!;
        const blocker = list[i + 1]!;
        if (values[blocker] === 1) {
          list[kept++] = clause;
          list[kept++] = blocker;
          continue;
        }
        const first = clause + headerSize;
        const other = data[first] === falsified ? data[first + 1]! : data[first]!;
        data[first] = other;
        data[first + 1] = falsified;
        const next = values[other] === 1 ? 0 : store.openLiteral(clause, values);
        if (next !== 0) {
          const replacement = data[next]!;
          data[first + 1] = replacement;
          data[next] = falsified;
          store.watch(replacement, clause, other);
          continue;
        }
        list[kept++] = clause;
        list[kept++] = other;
        if (values[other] === 1) continue;
        if (values[other] === 0) {
          this.assign(other, clause);
          continue;
        }
        for (let rest = i + 2; rest < size; rest++) list[kept++] = list[rest]!;
        store.watchSizes[falsified] = kept;
        this.propagated = this.trail.length;
        return clause;
      }
      store.watchSizes[falsified] = kept;
    }
    return noClause;
  }

  /** The first unique implication point: a clause that the conflict implies, with one literal of the present level. */
  private learn(conflict: ClauseRef): void {
    const present = this.levelStarts.length;
    const learned: Literal[] = [TRUE];
    const marked: number[] = [];
    let open = 0;
    let clause = conflict;
    let position = this.trail.length;
    let pivot: Literal | undefined;
    do {
      for (const literal of this.store.literalsOf(clause)) {
        const variable = variableOf(literal);
        if (literal === pivot || this.seen[variable] === 1 || this.levels[variable] === 0) continue;
        this.seen[variable] = 1;
        marked.push(variable);
        this.order.bump(variable);
        if (this.levels[variable] === present) open++;
        else learned.push(literal);
      }
      do pivot = this.trail[--position]!;
      while (this.seen[variableOf(pivot)] === 0);
      clause = this.reasons[variableOf(pivot)]!;
      open--;
    } while (open > 0);
    learned[0] = not(pivot);
    const short = [learned[0], ...learned.slice(1).filter((literal) => !this.isImplied(literal))];
    for (const variable of marked) this.seen[variable] = 0;
    this.order.decay();
    this.trace?.learned(short);
    this.useLearned(short);
  }

  /** Whether the other literals of the clause that is being learned already imply this one. */
  private isImplied(literal: Literal): boolean {
    const reason = this.reasons[variableOf(literal)]!;
    if (reason === noClause) return false;
    return this.store.literalsOf(reason).every((other) => {
      const variable = variableOf(other);
      return other === not(literal) || this.seen[variable] === 1 || this.levels[variable] === 0;
    });
  }

  private useLearned(clause: Literal[]): void {
    if (clause.length === 1) {
      this.backtrack(0);
      this.assign(clause[0]!, noClause);
      return;
    }
    // The literal of the highest level among the others is watched: it is the first to open again.
    let highest = 1;
    const levelOf = (i: number): number => this.levels[variableOf(clause[i]!)]!;
    for (let i = 2; i < clause.length; i++) if (levelOf(i) > levelOf(highest)) highest = i;
    [clause[1], clause[highest]] = [clause[highest]!, clause[1]!];
    const spanned = new Set(clause.map((literal) => this.levels[variableOf(literal)]!)).size;
    this.backtrack(levelOf(1));
    this.assign(clause[0]!, this.store.add(clause, spanned));
  }

  /** The assumptions, or leaves, from which it follows that this one is false, and itself. */
  private coreOf(assumption: Literal, leaves: Leaves): readonly Literal[] {
    const core = [assumption];
    const marked = new Set([variableOf(assumption)]);
    for (let i = this.trail.length - 1; i >= (this.levelStarts[0] ?? 0); i--) {
      const literal = this.trail[i]!;
      const variable = variableOf(literal);
      if (!marked.has(variable) || this.levels[variable] === 0) continue;
      const reason = this.reasons[variable]!;
      if (reason === noClause || leaves.has(literal)) core.push(literal);
      else for (const other of this.store.literalsOf(reason)) marked.add(variableOf(other));
    }
    return [...new Set(core)];
  }

  /** Forgets half of the learned clauses: those that span the most levels. Reasons of present values stay. */
  private reduceLearned(): void {
    const { store } = this;
    const levelsIn = (clause: ClauseRef): number => store.data[clause + 1]!;
    const used = new Set(this.trail.map((literal) => this.reasons[variableOf(literal)]!));
    const candidates = store.learned.filter((clause) => levelsIn(clause) > 2 && !used.has(clause));
    candidates.sort((a, b) => levelsIn(b) - levelsIn(a) || a - b);
    const dropped = new Set(candidates.slice(0, candidates.length / 2));
    if (this.trace !== undefined)
      for (const clause of dropped) this.trace.deleted([...store.literalsOf(clause)]);
    const placeOf = store.drop(dropped);
    for (const literal of this.trail) {
      const variable = variableOf(literal);
      if (this.reasons[variable] !== noClause) this.reasons[variable] = placeOf(this.reasons[variable]!);
    }
    this.maxLearned += this.maxLearned >> 3;
  }

  private growVariables(): void {
    const twice = this.levels.length * 2;
    this.values = copied(this.values, new Int8Array(twice * 2));
    this.levels = copied(this.levels, new Int32Array(twice));
    this.reasons = copied(this.reasons, new Int32Array(twice));
    this.phases = copied(this.phases, new Uint8Array(twice));
    this.seen = copied(this.seen, new Uint8Array(twice));
  }
}

const noLeaves: Leaves = new Set<Literal>();

/** Conflicts before the first restart. */
const restartUnit = 64;

/** 1 1 2 1 1 2 4 1 1 2 …: the intervals between restarts that are never far from the best (Luby, 1993). */
function luby(index: number): number {
  let size = 1;
  while (size < index + 1) size = size * 2 + 1;
  let rest = index;
  while (size - 1 !== rest) {
    size = (size - 1) >> 1;
    rest %= size;
  }
  return (size + 1) >> 1;
}

function copied<T extends { set: (from: T) => void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
