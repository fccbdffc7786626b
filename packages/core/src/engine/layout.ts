import { type ColumnSet, groupColumns } from "./column-sets.js";
import type { Space } from "./rule-items.js";
import { type PlacedSet, RowWork, type TableColumns } from "./row-work.js";

/** How the columns of a space lie in a table: each its own, or those alike as one. */
export class Layout implements TableColumns {
  private readonly placed: (PlacedSet | undefined)[] = [];
  private work: RowWork | undefined;
  private readonly sizes: number[];
  /** A bit for each column that is not of the first kind. */
  readonly minor: Uint32Array;

  private constructor(
    readonly columns: number,
    /** By column of the space. */
    readonly columnOf: ArrayLike<number>,
    /** By column of the table. Rules often speak of all columns of a kind. */
    readonly kindOf: Uint8Array,
    readonly kinds: number,
    /** Kinds that isolation does not reach (S1.6). */
    readonly isExemptKind: readonly boolean[],
    private readonly isGrouped: boolean,
    /** The columns of the space that came later; each is the only one in one of the last columns of the table. */
    readonly later: readonly number[] = [],
  ) {
    this.sizes = Array.from({ length: kinds }, () => 0);
    this.minor = new Uint32Array((columns + 31) >>> 5);
    for (let column = 0; column < columns; column++) {
      this.sizes[kindOf[column]!]!++;
      if (kindOf[column] !== 0) this.minor[column >>> 5]! |= 1 << (column & 31);
    }
  }

  static plain({ columns, kindOf, kinds }: Space, isExemptKind: readonly boolean[]): Layout {
    const all = Uint32Array.from({ length: columns }, (_, column) => column);
    return new Layout(columns, all, Uint8Array.from(all, kindOf), kinds, isExemptKind, false);
  }

  static grouped(
    { columns, kindOf, kinds }: Space,
    isExemptKind: readonly boolean[],
    used: Iterable<ColumnSet>,
  ): Layout {
    const all = Uint32Array.from({ length: columns }, (_, column) => column);
    const byKind = Array.from({ length: kinds }, (_, kind) => ({
      members: all.filter((column) => kindOf(column) === kind),
    }));
    const { groupOf, count } = groupColumns(columns, [...byKind, ...used]);
    const kindOfGroup = new Uint8Array(count);
    for (const column of all) kindOfGroup[groupOf[column]!] = kindOf(column);
    return new Layout(count, groupOf, kindOfGroup, kinds, isExemptKind, true);
  }

  /** With one more column of the space; `isIn` tells by id which sets hold it. */
  withColumn(kind: number, isIn: Uint8Array): Layout {
    const columnOf = new Uint32Array(this.columnOf.length + 1);
    columnOf.set(this.columnOf);
    columnOf[this.columnOf.length] = this.columns;
    const kindOf = new Uint8Array(this.columns + 1);
    kindOf.set(this.kindOf);
    kindOf[this.columns] = kind;
    const later = [...this.later, this.columnOf.length];
    const made = new Layout(
      this.columns + 1,
      columnOf,
      kindOf,
      this.kinds,
      this.isExemptKind,
      this.isGrouped,
      later,
    );
    // Sets that the column is not in lie as they did, unless they were whole kinds.
    for (const [id, placed] of this.placed.entries())
      if (placed !== undefined && placed.wholeKinds.length === 0 && isIn[id] !== 1) made.placed[id] = placed;
    return made;
  }

  /** Room to work in, nothing said about any column yet. */
  begin(width: number): RowWork {
    if (this.work?.width !== width) this.work = new RowWork(this, width);
    this.work.begin();
    return this.work;
  }

  of(set: ColumnSet): PlacedSet {
    return (this.placed[set.id] ??= this.place(set));
  }

  private place({ members }: ColumnSet): PlacedSet {
    const own = this.isGrouped
      ? Uint32Array.from(new Set(members.map((column) => this.columnOf[column]!))).toSorted()
      : members;
    const counts = this.sizes.map(() => 0);
    for (const column of own) counts[this.kindOf[column]!]!++;
    const isWhole = counts.map((count, kind) => count > 0 && count === this.sizes[kind]);
    const wholeKinds = isWhole.flatMap((whole, kind) => (whole ? kind : []));
    const rest = wholeKinds.length === 0 ? own : own.filter((column) => !isWhole[this.kindOf[column]!]!);
    if (rest.length * sparse < this.columns) return { wholeKinds, members: rest };
    const bits = new Uint32Array((this.columns + 31) >>> 5);
    for (const column of rest) bits[column >>> 5]! |= 1 << (column & 31);
    return { wholeKinds, members: rest, bits };
  }
}

/** A set with fewer than one in so many columns is gone through member by member, others word by word. */
const sparse = 16;
