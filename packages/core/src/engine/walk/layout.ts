import { type ColumnSet, groupColumns } from "../../sets/column-sets.js";
import { marked } from "../../sets/marks.js";
import type { Space } from "../compile/rule-items.js";

/** A set as a table sees it: kinds of columns that it holds wholly, and the other columns it holds. */
export interface PlacedSet {
  readonly wholeKinds: readonly number[];
  /** The other columns as words with a bit for each column; which words, ascending, and what they are. */
  readonly wordAt: Uint32Array;
  readonly words: Uint32Array;
}

type Columns = Pick<Space, "columns" | "kinds" | "kindOf">;

const notThere = -1;

/** Maps the columns of a space to columns of a table: one to one, equal columns to one, or only some of them. */
export class Layout {
  private readonly placed: (Placement | undefined)[] = [];
  private readonly sizes: number[];
  /** A bit for each column of the table that is not of the first kind. */
  readonly minor: number[] = [];

  private constructor(
    /** By column of the space. */
    readonly columnOf: number[],
    /** By column of the table. Rules often select all columns of a kind. */
    readonly kindOf: number[],
    readonly kinds: number,
    /** Whether each column of the space has the same number in the table. */
    private readonly isPlain: boolean,
  ) {
    this.sizes = Array.from({ length: kinds }, () => 0);
    for (const [column, kind] of kindOf.entries()) this.count(column, kind);
  }

  get columns(): number {
    return this.kindOf.length;
  }

  private count(column: number, kind: number): void {
    this.sizes[kind]!++;
    if (column >>> 5 === this.minor.length) this.minor.push(0);
    if (kind !== 0) this.minor[column >>> 5]! |= 1 << (column & 31);
  }

  static plain({ columns, kindOf, kinds }: Columns): Layout {
    const all = Array.from({ length: columns }, (_, column) => column);
    return new Layout(all, all.map(kindOf), kinds, true);
  }

  /** Columns that these sets do not distinguish are one. */
  static grouped({ columns, kindOf, kinds }: Columns, sets: Iterable<ColumnSet>): Layout {
    const all = Uint32Array.from({ length: columns }, (_, column) => column);
    const byKind = Array.from({ length: kinds }, (_, kind) => ({
      members: all.filter((column) => kindOf(column) === kind),
    }));
    const { groupOf, count } = groupColumns(columns, [...byKind, ...sets]);
    const kindOfGroup = Array.from({ length: count }, () => 0);
    for (const column of all) kindOfGroup[groupOf[column]!] = kindOf(column);
    return new Layout([...groupOf], kindOfGroup, kinds, false);
  }

  /** Only these columns of the space, in this order. */
  static window({ columns, kindOf, kinds }: Columns, wanted: Uint32Array): Layout {
    const columnOf = Array.from({ length: columns }, () => notThere);
    for (const [number, column] of wanted.entries()) columnOf[column] = number;
    return new Layout(columnOf, Array.from(wanted, kindOf), kinds, false);
  }

  /** Adds a column of the space that has a higher number than all others. */
  addColumn(kind: number): void {
    const column = this.columns;
    this.columnOf.push(column);
    this.kindOf.push(kind);
    this.count(column, kind);
  }

  of(set: ColumnSet): PlacedSet {
    const known = this.placed[set.id];
    if (known !== undefined && this.isCurrent(known, set)) return known.at;
    const at = this.place(set);
    this.placed[set.id] = { at, members: set.members.length, columns: this.columns };
    return at;
  }

  /** Columns that were added change nothing for sets that do not hold them, unless those were whole kinds. */
  private isCurrent({ at, members, columns }: Placement, set: ColumnSet): boolean {
    return set.members.length === members && (at.wholeKinds.length === 0 || columns === this.columns);
  }

  private place({ members }: ColumnSet): PlacedSet {
    const own = this.isPlain ? members : this.columnsWith(members);
    const counts = this.sizes.map(() => 0);
    for (let i = 0; i < own.length; i++) counts[this.kindOf[own[i]!]!]!++;
    const isWhole = counts.map((count, kind) => count > 0 && count === this.sizes[kind]);
    const wholeKinds = isWhole.flatMap((whole, kind) => (whole ? kind : []));
    const others = wholeKinds.length === 0 ? own : own.filter((column) => !isWhole[this.kindOf[column]!]!);
    return { wholeKinds, ...asWords(others) };
  }

  /** The columns of the table that contain these columns of the space, ascending. */
  private columnsWith(members: Uint32Array): Uint32Array {
    const isOne = new Uint8Array(this.columns);
    for (let i = 0; i < members.length; i++) {
      const column = this.columnOf[members[i]!]!;
      if (column !== notThere) isOne[column] = 1;
    }
    return marked(isOne);
  }
}

/** Ascending columns, by bit. */
function asWords(columns: Uint32Array): Pick<PlacedSet, "wordAt" | "words"> {
  let count = 0;
  for (let i = 0; i < columns.length; i++)
    if (i === 0 || columns[i]! >>> 5 !== columns[i - 1]! >>> 5) count++;
  const [wordAt, words] = [new Uint32Array(count), new Uint32Array(count)];
  for (let i = 0, w = -1; i < columns.length; i++) {
    const at = columns[i]! >>> 5;
    if (w < 0 || wordAt[w] !== at) wordAt[++w] = at;
    words[w]! |= 1 << (columns[i]! & 31);
  }
  return { wordAt, words };
}

/** Where a set lay when it had so many members, and the table so many columns. */
interface Placement {
  readonly at: PlacedSet;
  readonly members: number;
  readonly columns: number;
}
