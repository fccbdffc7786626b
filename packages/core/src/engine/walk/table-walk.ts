import type { Item } from "../compile/rule-items.js";
import type { NumberedCells } from "./cells.js";
import type { Layout } from "./layout.js";
import { type OutcomeId, silent, uncertain } from "./outcomes.js";
import { RowWalk, type TierItems } from "./row-walk.js";

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
 * Walks the rows of one tier. Rows that begin with the same items share that part of the walk: cluster-wide policies
 * apply to most rows, and the rows differ in the later ones.
 */
export class TableWalk extends RowWalk {
  private readonly columns: Uint32Array;
  private readonly values: Uint32Array;
  private readonly all: Uint32Array;

  constructor(
    layout: Layout,
    private readonly numbered: NumberedCells,
    isExemptKind: readonly boolean[],
  ) {
    super(layout, numbered, isExemptKind);
    this.columns = new Uint32Array(this.width);
    this.values = new Uint32Array(this.width);
    this.all = new Uint32Array(this.width);
  }

  /** Reports what each row says, by its position, in any order. */
  walk(rows: readonly TierItems[], report: (row: number, values: RowValues) => void): void {
    this.begin(this.everyColumn);
    this.walkFrom(0, rows, [...rows.keys()], report);
  }

  /** `together`: the rows that have all items before this one in common, which were taken. */
  private walkFrom(
    first: number,
    rows: readonly TierItems[],
    together: readonly number[],
    report: (row: number, values: RowValues) => void,
  ): void {
    const [one, ...others] = together;
    const { items } = rows[one!]!;
    let at = first;
    for (; at < items.length && others.every((row) => rows[row]!.items[at] === items[at]); at++)
      this.takeItem(items[at]!);
    if (others.length === 0) {
      if (rows[one!]!.isIsolated) this.isolate();
      report(one!, this.finish());
      return;
    }
    // Where nothing was taken yet, beginning again costs less than to restore that.
    const restore = at === 0 ? () => this.begin(this.everyColumn) : this.saved();
    const byNext = new Map<Item | undefined, number[]>();
    for (const row of together) {
      const next = rows[row]!.items[at];
      const known = byNext.get(next);
      if (known === undefined) byNext.set(next, [row]);
      else known.push(row);
    }
    for (const [next, same] of byNext) {
      // Rows that end here differ at most in their isolation.
      for (const part of next === undefined ? same.map((row) => [row]) : [same]) {
        restore();
        this.walkFrom(at, rows, part, report);
      }
    }
  }

  /** Returns what puts the walk back to where it is now. */
  private saved(): () => void {
    const { numbered, width, layout } = this;
    const [touched, live, isFinalKind] = [this.touched.slice(), this.live.slice(), this.isFinalKind.slice()];
    const places = columnsIn(touched);
    for (let kind = 0; kind < layout.kinds; kind++) places.push(width + kind);
    const states = numbered.statesAt(places);
    return () => {
      this.touched.set(touched);
      this.live.set(live);
      this.isFinalKind.set(isFinalKind);
      numbered.putStates(places, states);
    };
  }

  private finish(): RowValues {
    const { layout, numbered: cells, touched, columns, values, width } = this;
    const shared = this.outcomesOfKinds();
    const [base] = shared;
    let count = 0;
    // All of the first kind except those touched have its outcome; the columns of other kinds are few.
    for (let w = 0; w < touched.length; w++)
      for (let word = touched[w]! | layout.minor[w]!; word !== 0; word &= word - 1) {
        const bit = word & -word;
        const column = (w << 5) + 31 - Math.clz32(bit);
        const isTouched = (touched[w]! & bit) !== 0;
        const value = isTouched ? cells.outcome(column) : shared[layout.kindOf[column]!]!;
        if (value === base) continue;
        columns[count] = column;
        values[count++] = value;
      }
    const kept = { width, base: base!, columns: columns.slice(0, count), values: values.slice(0, count) };
    return count * 2 < width && base !== uncertain ? kept : this.rebased(kept);
  }

  /** The same with the most common outcome as the base; never `uncertain`, as such columns need not be alike. */
  private rebased(row: RowValues): RowValues {
    const { all, columns, values, width } = this;
    const base = majority(row.values, row.base, width - row.columns.length);
    if (base === row.base) return row;
    readRow(row, all);
    let count = 0;
    for (let column = 0; column < width; column++) {
      if (all[column] === base) continue;
      columns[count] = column;
      values[count++] = all[column]!;
    }
    return { width, base, columns: columns.slice(0, count), values: values.slice(0, count) };
  }
}

function columnsIn(bits: Uint32Array): number[] {
  const found: number[] = [];
  for (let w = 0; w < bits.length; w++)
    for (let word = bits[w]!; word !== 0; word &= word - 1)
      found.push((w << 5) + 31 - Math.clz32(word & -word));
  return found;
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
