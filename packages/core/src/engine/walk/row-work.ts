import { type OutcomeId, silent, uncertain, undecided } from "../compile/outcomes.js";
import type { PortAtoms } from "../compile/port-atoms.js";
import type { Effect } from "../compile/rule-items.js";

/** What a row says to each column: mostly the same, and something else to some. */
export interface RowValues {
  /** How many columns there were; those that came later are not spoken of. */
  readonly width: number;
  readonly base: OutcomeId;
  /** Ascending. */
  readonly columns: Uint32Array;
  readonly values: Uint32Array;
}

/** A set as a table sees it: kinds of columns that it holds wholly, and the other columns it holds. */
export interface PlacedSet {
  readonly wholeKinds: readonly number[];
  readonly members: Uint32Array;
  /** The same members as bits, where there are many. */
  readonly bits?: Uint32Array;
}

/** The columns of a table, and the kinds they come in. */
export interface TableColumns {
  readonly columns: number;
  readonly kinds: number;
  readonly kindOf: ArrayLike<number>;
  /** Kinds that isolation does not reach (S1.6). */
  readonly isExemptKind: readonly boolean[];
  /** A bit for each column that is not of the first kind. */
  readonly minor: ArrayLike<number>;
}

/** For so many columns that come later. */
const room = 256;

/**
 * Goes through the rules of a row for all columns at once, with a mask of open, allowed and denied ports for each. What
 * is said to all columns of a kind is kept once, behind the columns, and copied to one when it is first said something
 * of its own: the cost is that of the columns that rules single out.
 */
export class RowWork {
  private readonly open: Uint32Array;
  private readonly allow: Uint32Array;
  private readonly deny: Uint32Array;
  /** Columns that were singled out, and those that have open ports. */
  private readonly touched: Uint32Array;
  private readonly live: Uint32Array;
  /** What a column is that is not settled: `uncertain` or `undecided`, or `silent` where it is. */
  private readonly unsettled: Uint8Array;
  private readonly columns: Uint32Array;
  private readonly values: Uint32Array;
  private readonly capacity: number;

  constructor(
    private readonly layout: TableColumns,
    readonly width: number,
  ) {
    this.capacity = layout.columns + room;
    const all = this.capacity + layout.kinds;
    this.open = new Uint32Array(all * width);
    this.allow = new Uint32Array(all * width);
    this.deny = new Uint32Array(all * width);
    this.touched = new Uint32Array((this.capacity + 31) >>> 5);
    this.live = new Uint32Array((all + 31) >>> 5);
    this.unsettled = new Uint8Array(all);
    this.columns = new Uint32Array(this.capacity);
    this.values = new Uint32Array(this.capacity);
  }

  /** Columns that come later find room, but not without end. */
  get isWideEnough(): boolean {
    return this.layout.columns <= this.capacity;
  }

  begin(): void {
    const { columns, kinds } = this.layout;
    const at = columns * this.width;
    this.open.fill(0xffffffff, at);
    this.allow.fill(0, at);
    this.deny.fill(0, at);
    this.unsettled.fill(0, columns, columns + kinds);
    this.live.fill(0xffffffff);
    this.touched.fill(0);
  }

  // S1.1: a rule takes what is still open of its ports; settled columns are not looked at again.
  take({ wholeKinds, members, bits }: PlacedSet, mask: Uint32Array, effect: Effect): void {
    const { live } = this;
    for (const kind of wholeKinds) this.takeFromKind(kind, mask, effect);
    if (bits === undefined)
      for (let i = 0; i < members.length; i++) {
        const column = members[i]!;
        if (((live[column >>> 5]! >>> (column & 31)) & 1) === 1) this.takeFrom(column, mask, effect);
      }
    else
      for (let w = 0; w < bits.length; w++)
        for (let word = bits[w]! & live[w]!; word !== 0; word &= word - 1)
          this.takeFrom((w << 5) + 31 - Math.clz32(word & -word), mask, effect);
  }

  private takeFromKind(kind: number, mask: Uint32Array, effect: Effect): void {
    const { touched, live, layout } = this;
    const shared = layout.columns + kind;
    if (((live[shared >>> 5]! >>> (shared & 31)) & 1) === 1) this.takeOpen(shared, mask, effect);
    for (let w = 0; w < touched.length; w++)
      for (let word = touched[w]! & live[w]!; word !== 0; word &= word - 1) {
        const column = (w << 5) + 31 - Math.clz32(word & -word);
        if (layout.kindOf[column] === kind) this.takeOpen(column, mask, effect);
      }
  }

  private takeFrom(column: number, mask: Uint32Array, effect: Effect): void {
    if (((this.touched[column >>> 5]! >>> (column & 31)) & 1) === 0) this.touch(column);
    this.takeOpen(column, mask, effect);
  }

  private touch(column: number): void {
    const { layout, width, open, allow, deny, live } = this;
    const shared = layout.columns + layout.kindOf[column]!;
    for (let w = 0, to = column * width, from = shared * width; w < width; w++, to++, from++) {
      open[to] = open[from]!;
      allow[to] = allow[from]!;
      deny[to] = deny[from]!;
    }
    this.unsettled[column] = this.unsettled[shared]!;
    if (((live[shared >>> 5]! >>> (shared & 31)) & 1) === 0) live[column >>> 5]! &= ~(1 << (column & 31));
    this.touched[column >>> 5]! |= 1 << (column & 31);
  }

  private takeOpen(column: number, mask: Uint32Array, effect: Effect): void {
    const { open, width } = this;
    let left = 0;
    let taken = 0;
    for (let w = 0, at = column * width; w < width; w++, at++) {
      const now = open[at]! & mask[w]!;
      taken |= now;
      open[at]! ^= now;
      left |= open[at]!;
      if (effect === "Allow") this.allow[at]! |= now;
      else if (effect === "Deny") this.deny[at]! |= now;
    }
    if (taken !== 0 && (effect === "Maybe" || effect === "Undecided")) {
      this.unsettled[column] = effect === "Maybe" ? uncertain : undecided;
      left = 0;
    }
    if (left === 0) this.live[column >>> 5]! &= ~(1 << (column & 31));
  }

  /** S1.2: isolation denies what is still open; S1.3: otherwise it goes on, as what was passed does. */
  finish(isolated: boolean, atoms: PortAtoms): RowValues {
    const { layout, touched } = this;
    const shared: OutcomeId[] = [];
    for (let kind = 0; kind < layout.kinds; kind++)
      shared.push(this.outcome(layout.columns + kind, isolated && !layout.isExemptKind[kind]!, atoms));
    const { columns, values } = this;
    const [common] = shared;
    const words = layout.minor.length;
    let count = 0;
    // All of the first kind but those touched have its outcome; the columns of other kinds are few.
    for (let w = 0; w < words; w++)
      for (let word = touched[w]! | layout.minor[w]!; word !== 0; word &= word - 1) {
        const bit = 31 - Math.clz32(word & -word);
        const column = (w << 5) + bit;
        const kind = layout.kindOf[column]!;
        const value =
          ((touched[w]! >>> bit) & 1) === 1
            ? this.outcome(column, isolated && !layout.isExemptKind[kind]!, atoms)
            : shared[kind]!;
        if (value === common) continue;
        columns[count] = column;
        values[count++] = value;
      }
    const width = layout.columns;
    const kept = { width, base: common!, columns: columns.slice(0, count), values: values.slice(0, count) };
    return count * 2 < width && common !== uncertain ? kept : rebased(kept);
  }

  private outcome(column: number, isolated: boolean, atoms: PortAtoms): OutcomeId {
    if (this.unsettled[column] !== silent) return this.unsettled[column]!;
    const { allow, deny, open, width } = this;
    const at = column * width;
    if (isolated) for (let w = at; w < at + width; w++) deny[w]! |= open[w]!;
    return atoms.outcome(allow, deny, at);
  }
}

/** The same with what most columns have as the base; never with what is uncertain, as such columns need not be alike. */
function rebased({ width, base: before, columns, values }: RowValues): RowValues {
  const base = majority(values, before, width - columns.length);
  const all = new Uint32Array(width).fill(before);
  for (let i = 0; i < columns.length; i++) all[columns[i]!] = values[i]!;
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

/** The value that more than half have, if there is one, and else any; `more` of them are `shared`. */
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

/** What a row says to all columns. */
export function readRow({ base, columns, values }: RowValues, into: Uint32Array): void {
  into.fill(base);
  for (let i = 0; i < columns.length; i++) into[columns[i]!] = values[i]!;
}

/** Two rows that are uncertain about the same need not be so for the same reasons. */
export const isUncertain = ({ values }: RowValues): boolean => values.includes(uncertain);

/** Whether two rows say the same, or are uncertain about the same. */
export function sameRow(a: RowValues, b: RowValues): boolean {
  if (a.base !== b.base || a.columns.length !== b.columns.length) return false;
  for (let i = 0; i < a.columns.length; i++)
    if (a.columns[i] !== b.columns[i] || a.values[i] !== b.values[i]) return false;
  return true;
}
