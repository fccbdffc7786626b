import type { Direction } from "../policy/model.js";
import { type ColumnSet, groupColumns } from "./column-sets.js";
import { type OutcomeId, type Outcomes, silent, uncertain } from "./outcomes.js";
import type { PortSetId } from "./port-sets.js";
import type { Item, RuleItems, Space } from "./rule-items.js";
import type { Row, TierRows } from "./tier-rows.js";

/** What a row says to each column: mostly the same, and something else to some. */
export interface RowValues {
  readonly base: OutcomeId;
  /** Ascending. */
  readonly columns: Uint32Array;
  readonly values: Uint32Array;
}

/** One tier in one direction: a row for each way its rules apply to subjects, a column for each other end. */
export class TierTable {
  private readonly itemLists: (readonly Item[] | undefined)[] = [];
  private readonly rowValues: (RowValues | undefined)[] = [];
  readonly layout: Layout;

  /** `grouped`: columns that all rules treat alike are held once, which pays where rows look at most columns. */
  constructor(
    readonly rows: TierRows,
    direction: Direction,
    space: Space,
    private readonly items: RuleItems,
    private readonly outcomes: Outcomes,
    grouped: boolean,
  ) {
    const isExempt = direction === "ingress" ? space.isOwn : () => false;
    this.layout = grouped ? Layout.grouped(space, isExempt, this.usedSets()) : Layout.plain(space, isExempt);
  }

  at(row: number, column: number): OutcomeId {
    const { base, columns, values } = this.values(row);
    const wanted = this.layout.columnOf[column]!;
    let low = 0;
    let high = columns.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (columns[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return columns[low] === wanted ? values[low]! : base;
  }

  values(row: number): RowValues {
    return (this.rowValues[row] ??= this.compute(this.rows.rows[row]!));
  }

  itemsOf(row: Row): readonly Item[] {
    return (this.itemLists[row.index] ??= row.rules.flatMap((rule) => this.items.of(rule, row.subject)));
  }

  /** The ports that an item is about. */
  portsOf({ step }: Item): PortSetId {
    return this.outcomes.stepOf(step).ports;
  }

  private *usedSets(): Iterable<ColumnSet> {
    const seen = new Set<ColumnSet>();
    for (const row of this.rows.rows)
      for (const { set } of this.itemsOf(row)) {
        if (seen.has(set)) continue;
        seen.add(set);
        yield set;
      }
  }

  // S1.1: rule by rule, each taking what is still open; settled columns are not looked at again.
  private compute(row: Row): RowValues {
    const { layout, outcomes } = this;
    const { states, open } = layout.begin();
    const { isClosed } = outcomes;
    for (const { set, step } of this.itemsOf(row)) {
      const { members, bits } = layout.of(set);
      const nexts = outcomes.nextsOf(step);
      if (bits === undefined)
        for (let i = 0; i < members.length; i++) {
          const column = members[i]!;
          if (((open[column >>> 5]! >>> (column & 31)) & 1) === 0) continue;
          const state = states[column]!;
          const next = nexts[state] ?? outcomes.next(state, step);
          states[column] = next;
          if (isClosed[next]!) open[column >>> 5]! &= ~(1 << (column & 31));
        }
      else
        for (let w = 0; w < bits.length; w++)
          for (let word = bits[w]! & open[w]!; word !== 0; word &= word - 1) {
            const bit = 31 - Math.clz32(word & -word);
            const column = (w << 5) + bit;
            const state = states[column]!;
            const next = nexts[state] ?? outcomes.next(state, step);
            states[column] = next;
            if (isClosed[next]!) open[w]! &= ~(1 << bit);
          }
    }
    const isolated = row.isolation.length > 0;
    for (let column = 0; column < layout.columns; column++)
      states[column] = outcomes.finish(states[column]!, isolated && !layout.isExempt[column]!);
    return compress(states, layout.columns);
  }
}

/** How the columns of a space lie in a table: each its own, or those alike as one. */
export class Layout {
  private readonly placed: (PlacedSet | undefined)[] = [];
  private readonly states: Uint32Array;
  private readonly open: Uint32Array;

  private constructor(
    readonly columns: number,
    /** By column of the space. */
    readonly columnOf: ArrayLike<number>,
    /** Not subject to isolation (S1.6), by column of the table. */
    readonly isExempt: readonly boolean[],
    private readonly isGrouped: boolean,
  ) {
    this.states = new Uint32Array(columns);
    this.open = new Uint32Array((columns + 31) >>> 5);
  }

  static plain({ columns }: Space, isExempt: (column: number) => boolean): Layout {
    const all = Array.from({ length: columns }, (_, column) => column);
    return new Layout(columns, Uint32Array.from(all), all.map(isExempt), false);
  }

  static grouped(
    { columns }: Space,
    isExempt: (column: number) => boolean,
    used: Iterable<ColumnSet>,
  ): Layout {
    const all = Array.from({ length: columns }, (_, column) => column);
    const exempt = { members: Uint32Array.from(all.filter(isExempt)) };
    const { groupOf, count } = groupColumns(columns, [exempt, ...used]);
    const isExemptGroup = Array.from({ length: count }, () => false);
    for (const column of exempt.members) isExemptGroup[groupOf[column]!] = true;
    return new Layout(count, groupOf, isExemptGroup, true);
  }

  /** Room to work in, all columns untouched and open. */
  begin(): { readonly states: Uint32Array; readonly open: Uint32Array } {
    this.states.fill(0);
    this.open.fill(0xffffffff);
    return { states: this.states, open: this.open };
  }

  of(set: ColumnSet): PlacedSet {
    return (this.placed[set.id] ??= this.place(set));
  }

  private place({ members }: ColumnSet): PlacedSet {
    const own = this.isGrouped
      ? Uint32Array.from(new Set(members.map((column) => this.columnOf[column]!))).sort()
      : members;
    if (own.length * sparse < this.columns) return { members: own };
    const bits = new Uint32Array((this.columns + 31) >>> 5);
    for (const column of own) bits[column >>> 5]! |= 1 << (column & 31);
    return { members: own, bits };
  }
}

/** A set with fewer than one in so many columns is gone through member by member, others word by word. */
const sparse = 16;

interface PlacedSet {
  readonly members: Uint32Array;
  readonly bits?: Uint32Array;
}

/** What most columns have is said once. */
function compress(values: Uint32Array, columns: number): RowValues {
  const base = mostCommon(values, columns);
  let count = 0;
  for (let column = 0; column < columns; column++) if (values[column] !== base) count++;
  const found = { base, columns: new Uint32Array(count), values: new Uint32Array(count) };
  for (let column = 0, i = 0; column < columns; column++)
    if (values[column] !== base) {
      found.columns[i] = column;
      found.values[i++] = values[column]!;
    }
  return found;
}

function mostCommon(values: Uint32Array, columns: number): number {
  const counts = new Map<number, number>();
  // Runs of equal values are common: they are counted before they are looked up.
  for (let column = 0; column < columns; ) {
    const value = values[column]!;
    let end = column + 1;
    while (end < columns && values[end] === value) end++;
    counts.set(value, (counts.get(value) ?? 0) + end - column);
    column = end;
  }
  // What is uncertain is said one by one: such columns need not be alike.
  counts.delete(uncertain);
  let best = silent;
  let most = 0;
  // Of equally many the smallest, so that equal rows are written equally.
  for (const [value, count] of counts)
    if (count > most || (count === most && value < best)) [best, most] = [value, count];
  return best;
}
