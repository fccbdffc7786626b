import type { Item } from "../compile/rule-items.js";
import type { CellStates, StateId, Step } from "./cell-states.js";
import type { Layout, PlacedSet } from "./layout.js";
import { type OutcomeId, silent, uncertain } from "./outcomes.js";

/** The outcomes of a row: mostly the same, and another one for some columns. */
export interface RowValues {
  /** How many columns there were; it says nothing about columns that were added later. */
  readonly width: number;
  readonly base: OutcomeId;
  /** Ascending. */
  readonly columns: Uint32Array;
  readonly values: Uint32Array;
}

/**
 * Walks the rules of a row past all columns of a layout at once. The state of all columns of a kind is kept once,
 * behind the columns, until a rule singles a column out: the cost is that of the columns that rules single out.
 */
export class RowWalk {
  private readonly state: Uint32Array;
  /** A bit for each column that has a state of its own. */
  private readonly touched: Uint32Array;
  private readonly columns: Uint32Array;
  private readonly values: Uint32Array;
  private readonly width: number;

  constructor(
    private readonly layout: Layout,
    private readonly states: CellStates,
    /** By kind, whether isolation does not apply to it (S1.6). */
    private readonly isExemptKind: readonly boolean[],
  ) {
    this.width = layout.columns;
    this.state = new Uint32Array(this.width + layout.kinds);
    this.touched = new Uint32Array((this.width + 31) >>> 5);
    this.columns = new Uint32Array(this.width);
    this.values = new Uint32Array(this.width);
  }

  /** Whether the layout still has the columns that it had. */
  get isCurrent(): boolean {
    return this.width === this.layout.columns;
  }

  walk(items: readonly Item[], isIsolated: boolean): RowValues {
    this.state.fill(this.states.start, this.width);
    this.touched.fill(0);
    for (let i = 0; i < items.length; i++) this.take(this.layout.of(items[i]!.set), items[i]!.step);
    return this.finish(isIsolated);
  }

  // S1.1
  private take({ wholeKinds, members }: PlacedSet, step: Step): void {
    const { state, states, touched, width } = this;
    const { kindOf } = this.layout;
    for (const kind of wholeKinds) this.takeFromKind(kind, step);
    for (let i = 0; i < members.length; i++) {
      const column = members[i]!;
      const isTouched = ((touched[column >>> 5]! >>> (column & 31)) & 1) === 1;
      const before = state[isTouched ? column : width + kindOf[column]!]!;
      if (states.isFinal[before] === 1) continue;
      const after = states.take(before, step);
      if (after === before) continue;
      state[column] = after;
      touched[column >>> 5]! |= 1 << (column & 31);
    }
  }

  private takeFromKind(kind: number, step: Step): void {
    const { state, states, touched, width } = this;
    const { kindOf } = this.layout;
    state[width + kind] = this.after(state[width + kind]!, step);
    for (let w = 0; w < touched.length; w++)
      for (let word = touched[w]!; word !== 0; word &= word - 1) {
        const column = (w << 5) + 31 - Math.clz32(word & -word);
        const before = state[column]!;
        if (kindOf[column] === kind && states.isFinal[before] === 0)
          state[column] = states.take(before, step);
      }
  }

  private after(before: StateId, step: Step): StateId {
    return this.states.isFinal[before] === 1 ? before : this.states.take(before, step);
  }

  // S1.2
  private finish(isIsolated: boolean): RowValues {
    const { layout, touched, columns, values, width, isExemptKind } = this;
    const outcome = (at: number, kind: number) => {
      const state = this.state[at]!;
      const isDenied = isIsolated && !isExemptKind[kind]!;
      return this.states.outcomeOf(isDenied ? this.states.isolate(state) : state);
    };
    const shared = Array.from({ length: layout.kinds }, (_, kind) => outcome(width + kind, kind));
    const [base] = shared;
    let count = 0;
    // All of the first kind except those touched have its outcome; the columns of other kinds are few.
    for (let w = 0; w < touched.length; w++)
      for (let word = touched[w]! | layout.minor[w]!; word !== 0; word &= word - 1) {
        const bit = 31 - Math.clz32(word & -word);
        const column = (w << 5) + bit;
        const kind = layout.kindOf[column]!;
        const value = ((touched[w]! >>> bit) & 1) === 1 ? outcome(column, kind) : shared[kind]!;
        if (value === base) continue;
        columns[count] = column;
        values[count++] = value;
      }
    const kept = { width, base: base!, columns: columns.slice(0, count), values: values.slice(0, count) };
    return count * 2 < width && base !== uncertain ? kept : rebased(kept);
  }
}

/** The same with the most common outcome as the base; never `uncertain`, as such columns need not be alike. */
function rebased(row: RowValues): RowValues {
  const { width, columns, values } = row;
  const base = majority(values, row.base, width - columns.length);
  const all = new Uint32Array(width);
  readRow(row, all);
  let count = 0;
  for (let column = 0; column < width; column++) if (all[column] !== base) count++;
  const made = { width, base, columns: new Uint32Array(count), values: new Uint32Array(count) };
  for (let column = 0, at = 0; column < width; column++)
    if (all[column] !== base) {
      made.columns[at] = column;
      made.values[at++] = all[column]!;
    }
  return made;
}

/** The outcome that more than half have, if there is one, and else any; `more` of them are `shared`. */
function majority(values: Uint32Array, shared: OutcomeId, more: number): OutcomeId {
  let [candidate, lead] = [shared, shared === uncertain ? 0 : more];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value === uncertain) continue;
    if (value === candidate) lead++;
    else if (lead > 0) lead--;
    else [candidate, lead] = [value, 1];
  }
  return candidate === uncertain ? silent : candidate;
}

/** The outcomes of a row for all columns. */
export function readRow({ base, columns, values }: RowValues, into: Uint32Array): void {
  into.fill(base);
  for (let i = 0; i < columns.length; i++) into[columns[i]!] = values[i]!;
}

/** Two rows that are uncertain about the same columns need not be so for the same reasons. */
export const isUncertain = ({ values }: RowValues): boolean => values.includes(uncertain);

/** Whether two rows have the same outcomes, or are uncertain about the same. */
export function sameRow(a: RowValues, b: RowValues): boolean {
  if (a.base !== b.base || a.columns.length !== b.columns.length) return false;
  for (let i = 0; i < a.columns.length; i++)
    if (a.columns[i] !== b.columns[i] || a.values[i] !== b.values[i]) return false;
  return true;
}
