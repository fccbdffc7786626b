import { ActivityHeap } from "./activity-heap.js";
import { type ClauseRef, ClauseStore, headerSize, noClause } from "./clause-store.js";
import { type Literal, not, TRUE, variableOf } from "./literal.js";
import { luby } from "./luby.js";
import type { Answer, Budget, Hints, Model, ProofTrace } from "./question.js";
import { withRoom } from "./typed-arrays.js";

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
  private trail = new Int32Array(32);
  private trailSize = 0;
  private levelStarts: number[] = [];
  private propagated = 0;
  private contradictory = false;
  /** Of the last call: those that the next one shares with it stay decided. */
  private assumed: readonly Literal[] = [];
  /** The last one. It does not change. */
  model: Model = new Int8Array(0);
  private failed: readonly Literal[] = [];
  /** Preferences before this one have a value. */
  private preferred = 0;
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
    this.order.add(variable, kind === "free" || this.decidesOnGates);
    this.reasons[variable] = noClause;
    return variable * 2;
  }

  /** Between calls of `solve` only. `forgetTemporary` forgets a temporary clause. */
  addClause(clause: readonly Literal[], kind: "lasting" | "temporary" = "lasting"): void {
    this.trace?.given(clause);
    if (this.contradictory) return;
    this.backtrack(0);
    const literals = this.openLiterals(clause);
    if (literals === undefined) return;
    // A variable without clauses is not decided on: it does not matter.
    for (const literal of literals) this.order.insert(variableOf(literal));
    if (literals.length >= 2) this.store.add(literals, kind === "lasting" ? 0 : temporary);
    else if (literals.length === 1) this.assertUnit(literals[0]!);
    else this.contradict();
  }

  /** Forgets the temporary clauses, and with them what was learned. */
  forgetTemporary(): void {
    this.backtrack(0);
    const { store, order, reasons } = this;
    for (const literal of this.trail.subarray(0, this.trailSize)) reasons[variableOf(literal)] = noClause;
    this.drop((clause) => store.data[clause + 1] !== 0);
    order.clear();
    for (const clause of store.given)
      for (const literal of store.literalsOf(clause)) order.insert(variableOf(literal));
  }

  private drop(
    isDropped: (clause: ClauseRef) => boolean,
    moved?: (from: ClauseRef, to: ClauseRef) => void,
  ): void {
    const { store, trace } = this;
    if (trace !== undefined)
      for (const clause of [...store.given, ...store.learned])
        if (isDropped(clause)) trace.deleted([...store.literalsOf(clause)]);
    store.drop(isDropped, moved);
  }

  /** Each once, without those that are false; undefined where the clause is true anyway. */
  private openLiterals(clause: readonly Literal[]): readonly Literal[] | undefined {
    const { seen, values } = this;
    const isTrue = clause.some((literal) => {
      seen[variableOf(literal)]! |= 1 << (literal & 1);
      return values[literal] === 1 || seen[variableOf(literal)] === 3;
    });
    const literals = isTrue
      ? undefined
      : clause.filter((literal) => {
          const isFirst = seen[variableOf(literal)] !== 0;
          seen[variableOf(literal)] = 0;
          return isFirst && values[literal] === 0;
        });
    if (isTrue) for (const literal of clause) seen[variableOf(literal)] = 0;
    return literals;
  }

  /**
   * Whether all clauses and all assumptions can hold together. Assumptions that the last call began with too cost nothing: what
   * follows from them is still there.
   */
  solve(assumptions: readonly Literal[] = [], budget: Budget = {}, hints: Hints = {}): Answer {
    this.failed = [];
    if (Date.now() > (budget.deadline ?? Infinity)) return "budget-exhausted";
    this.preferred = 0;
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
      const next = this.nextDecision(assumptions, hints);
      if (next === "satisfiable") {
        this.model = this.values.slice(0, this.variableCount * 2);
        return "satisfiable";
      }
      if (next === "failed") return "unsatisfiable";
      this.levelStarts.push(this.trailSize);
      if (next !== undefined) this.assign(next, noClause);
    }
    return "unsatisfiable";
  }

  /** Whether a literal is true in the last model. */
  isTrue(literal: Literal): boolean {
    // What does not matter counts as false.
    return (this.model[literal & ~1] === 1) === ((literal & 1) === 0);
  }

  /** Of an unsatisfiable answer: assumptions that cannot hold together. */
  get core(): readonly Literal[] {
    return this.failed;
  }

  /** An assumption that is not true yet, or else an open preference, or else the open variable that took part in most conflicts. */
  private nextDecision(
    assumptions: readonly Literal[],
    { leaves = noLeaves, preferences = [] }: Hints,
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
    for (; this.preferred < preferences.length; this.preferred++)
      if (this.values[preferences[this.preferred]!] === 0) return preferences[this.preferred];
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
    this.trail[this.trailSize++] = literal;
  }

  private backtrack(level: number): void {
    if (this.levelStarts.length <= level) return;
    const start = this.levelStarts[level]!;
    for (let i = this.trailSize - 1; i >= start; i--) {
      const literal = this.trail[i]!;
      const variable = variableOf(literal);
      this.values[literal] = this.values[not(literal)] = 0;
      this.phases[variable] = (literal & 1) ^ 1;
      this.order.insert(variable);
    }
    this.trailSize = this.propagated = start;
    this.levelStarts.length = level;
    this.preferred = 0;
  }

  /** Draws all conclusions from clauses with one open literal. Returns a clause that is false, if there is one. */
  private propagate(): ClauseRef {
    const { store, values } = this;
    while (this.propagated < this.trailSize) {
      const falsified = not(this.trail[this.propagated++]!);
      const { data } = store;
      // Another list may move, and this one with all others into a larger array.
      let list = store.watches;
      const start = store.watchStarts[falsified]!;
      const end = start + store.watchSizes[falsified]!;
      let kept = start;
      for (let i = start; i < end; i += 2) {
        const clause = list[i]!;
        const blocker = list[i + 1]!;
        if (values[blocker] === 1 || clause < 0) {
          list[kept++] = clause;
          list[kept++] = blocker;
          if (values[blocker] === 1) continue;
          // Of two literals, the blocker is the other one: such a clause is never looked at.
          if (values[blocker] === 0) {
            this.assign(blocker, ~clause);
            continue;
          }
          this.endPropagation(falsified, i + 2, kept);
          return ~clause;
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
          list = store.watches;
          continue;
        }
        list[kept++] = clause;
        list[kept++] = other;
        if (values[other] === 1) continue;
        if (values[other] === 0) {
          this.assign(other, clause);
          continue;
        }
        this.endPropagation(falsified, i + 2, kept);
        return clause;
      }
      store.watchSizes[falsified] = kept - start;
    }
    return noClause;
  }

  /** A conflict: the clauses that were not looked at are still watched. */
  private endPropagation(falsified: Literal, from: number, to: number): void {
    const { watches, watchStarts, watchSizes } = this.store;
    const end = watchStarts[falsified]! + watchSizes[falsified]!;
    watches.copyWithin(to, from, end);
    watchSizes[falsified]! -= from - to;
    this.propagated = this.trailSize;
  }

  /** The first unique implication point: a clause that the conflict implies, with one literal of the present level. */
  private learn(conflict: ClauseRef): void {
    const present = this.levelStarts.length;
    const learned: Literal[] = [TRUE];
    const marked: number[] = [];
    let open = 0;
    let clause = conflict;
    let position = this.trailSize;
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
  private coreOf(assumption: Literal, leaves: Required<Hints>["leaves"]): readonly Literal[] {
    const core = [assumption];
    const { seen } = this;
    seen[variableOf(assumption)] = 1;
    for (let i = this.trailSize - 1; i >= (this.levelStarts[0] ?? this.trailSize); i--) {
      const literal = this.trail[i]!;
      const variable = variableOf(literal);
      if (seen[variable] === 0) continue;
      const reason = this.reasons[variable]!;
      if (reason === noClause || leaves.has(literal)) core.push(literal);
      else
        for (const other of this.store.literalsOf(reason))
          if (this.levels[variableOf(other)]! > 0) seen[variableOf(other)] = 1;
      // Last, as its reason contains it too.
      seen[variable] = 0;
    }
    seen[variableOf(assumption)] = 0;
    return [...new Set(core)];
  }

  /** Forgets half of the learned clauses: those that span the most levels. Reasons of present values stay. */
  private reduceLearned(): void {
    const { store } = this;
    const levelsIn = (clause: ClauseRef): number => store.data[clause + 1]!;
    const trail = this.trail.subarray(0, this.trailSize);
    const used = new Set(trail.map((literal) => this.reasons[variableOf(literal)]!));
    const candidates = store.learned.filter((clause) => levelsIn(clause) > 2 && !used.has(clause));
    candidates.sort((a, b) => levelsIn(b) - levelsIn(a) || a - b);
    const dropped = new Set(candidates.slice(0, candidates.length / 2));
    const places = new Map<ClauseRef, ClauseRef>();
    this.drop(
      (clause) => dropped.has(clause),
      (from, to) => used.has(from) && places.set(from, to),
    );
    for (const literal of trail) {
      const variable = variableOf(literal);
      this.reasons[variable] = places.get(this.reasons[variable]!) ?? noClause;
    }
    this.maxLearned += this.maxLearned >> 3;
  }

  private growVariables(): void {
    const count = this.levels.length * 2;
    this.values = withRoom(this.values, count * 2);
    this.levels = withRoom(this.levels, count);
    this.reasons = withRoom(this.reasons, count);
    this.phases = withRoom(this.phases, count);
    this.seen = withRoom(this.seen, count);
    this.trail = withRoom(this.trail, count);
    this.store.reserveLiterals(count * 2);
  }
}

const noLeaves: ReadonlySet<Literal> = new Set();

/** The level of a clause that `forgetTemporary` forgets. */
const temporary = -1;

/** Conflicts before the first restart. */
const restartUnit = 64;
