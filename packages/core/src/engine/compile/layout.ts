import { type ColumnSet, groupColumns } from "../../sets/column-sets.js";
import { marked } from "../../sets/marks.js";
import type { Space } from "./rule-items.js";
import { type PlacedSet, RowWork, type TableColumns } from "../walk/row-work.js";

/** How the columns of a space lie in a table: each its own, or those alike as one. */
export class Layout implements TableColumns {
  private placed: (Placement | undefined)[] = [];
  /** By the width of masks. */
  private readonly works = new Map<number, RowWork>();
  private readonly sizes: number[];
  /** A bit for each column that is not of the first kind. */
  readonly minor: number[];
  /** For each of the last columns, those that came later: a column of the space that lies there. */
  readonly later: number[] = [];

  private constructor(
    /** By column of the space. */
    readonly columnOf: number[],
    /** By column of the table. Rules often speak of all columns of a kind. */
    readonly kindOf: number[],
    readonly kinds: number,
    /** Kinds that isolation does not reach (S1.6). */
    readonly isExemptKind: readonly boolean[],
    private readonly isGrouped: boolean,
  ) {
    this.sizes = Array.from({ length: kinds }, () => 0);
    this.minor = Array.from({ length: (kindOf.length + 31) >>> 5 }, () => 0);
    for (const [column, kind] of kindOf.entries()) this.count(column, kind);
  }

  get columns(): number {
    return this.kindOf.length;
  }

  private count(column: number, kind: number): void {
    this.sizes[kind]!++;
    if (kind !== 0) this.minor[column >>> 5]! |= 1 << (column & 31);
  }

  static plain({ columns, kindOf, kinds }: Space, isExemptKind: readonly boolean[]): Layout {
    const all = Array.from({ length: columns }, (_, column) => column);
    return new Layout(all, all.map(kindOf), kinds, isExemptKind, false);
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
    const kindOfGroup = Array.from({ length: count }, () => 0);
    for (const column of all) kindOfGroup[groupOf[column]!] = kindOf(column);
    return new Layout([...groupOf], kindOfGroup, kinds, isExemptKind, true);
  }

  /** Takes in a column of the space that came later than all others and is like no other. */
  addColumn(kind: number): number {
    const column = this.append(this.columnOf.length, kind);
    this.columnOf.push(column);
    return column;
  }

  private append(ofSpace: number, kind: number): number {
    const column = this.columns;
    this.later.push(ofSpace);
    this.kindOf.push(kind);
    if (column >>> 5 === this.minor.length) this.minor.push(0);
    this.count(column, kind);
    return column;
  }

  /** Takes in a column of the space that all sets of the table treat as they do an earlier one. */
  addLike(column: number): void {
    this.columnOf.push(this.columnOf[column]!);
  }

  /**
   * Tells apart what a set tells apart, where it holds only some of the columns that lie together: those move to a new
   * column. Says which these are, each with a column of the space that stays where it was.
   */
  split({ members }: ColumnSet): readonly { readonly column: number; readonly from: number }[] {
    const inSet = new Map<number, number[]>();
    for (const member of members) {
      const known = inSet.get(this.columnOf[member]!);
      if (known === undefined) inSet.set(this.columnOf[member]!, [member]);
      else known.push(member);
    }
    const outside = new Map<number, number>();
    const isIn = new Set(members);
    for (const [column, at] of this.columnOf.entries())
      if (inSet.has(at) && !outside.has(at) && !isIn.has(column)) outside.set(at, column);
    return [...outside].map(([at, from]) => {
      const moving = inSet.get(at)!;
      // Where the sets lie is found again when it is asked.
      this.placed = [];
      const column = this.append(moving[0]!, this.kindOf[at]!);
      for (const member of moving) this.columnOf[member] = column;
      return { column, from };
    });
  }

  /** Room to work in, nothing said about any column yet. */
  begin(width: number): RowWork {
    const known = this.works.get(width);
    const work = known?.isWideEnough ? known : new RowWork(this, width);
    this.works.set(width, work);
    work.begin();
    return work;
  }

  of(set: ColumnSet): PlacedSet {
    const known = this.placed[set.id];
    if (known !== undefined && this.isStillSo(known, set)) return known.at;
    const at = this.place(set);
    this.placed[set.id] = { at, members: set.members.length, columns: this.columns };
    return at;
  }

  /** Columns that came since change nothing for sets that they are not in, unless those were whole kinds. */
  private isStillSo({ at, members, columns }: Placement, set: ColumnSet): boolean {
    return set.members.length === members && (at.wholeKinds.length === 0 || columns === this.columns);
  }

  private place({ members }: ColumnSet): PlacedSet {
    const own = this.isGrouped ? this.columnsWith(members) : members;
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

  /** The columns of the table that these of the space lie in, ascending. */
  private columnsWith(members: Uint32Array): Uint32Array {
    const isOne = new Uint8Array(this.columns);
    for (let i = 0; i < members.length; i++) isOne[this.columnOf[members[i]!]!] = 1;
    return marked(isOne);
  }
}

/** Where a set lay when it had so many members, and the table so many columns. */
interface Placement {
  readonly at: PlacedSet;
  readonly members: number;
  readonly columns: number;
}

/** A set with fewer than one in so many columns is gone through member by member, others word by word. */
const sparse = 16;
