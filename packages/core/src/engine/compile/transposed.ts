import { silent } from "../walk/outcomes.js";
import { isUncertain, type RowValues, sameRow } from "../walk/table-walk.js";
import type { TierTable } from "./tier-table.js";

/** A table read by columns: what each row says to most, and for each column the rows that say something else to it. */
export interface Transposed {
  /** By row of the tier, the number of what it says: rows that say the same have the same. */
  readonly contentOf: Uint32Array;
  /** By content. */
  readonly bases: Uint32Array;
  /** By column, where its part of `rows` and `values` begins; those are by ascending content. */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly values: Uint32Array;
  /** By column of the table: columns to which all rows say the same have the same number. */
  readonly columnContentOf: Uint32Array;
}

/** The content of a row that says nothing, whether there is one or not. */
export const nothingSaid = 0;

const silentRow: RowValues = {
  width: 0,
  base: silent,
  columns: new Uint32Array(0),
  values: new Uint32Array(0),
};

/** Only of the rows that are in use. */
export function transpose(table: TierTable, used: Iterable<number>): Transposed {
  const contentOf = new Uint32Array(table.rows.rows.length);
  const contents = new Contents<RowValues>(hashRow, sameRow, isUncertain);
  contents.numberOf(silentRow);
  table.walkRows(used);
  for (const row of used) contentOf[row] = contents.numberOf(table.values(row));

  const { columns } = table.layout;
  const starts = new Uint32Array(columns + 1);
  for (const row of contents.all) for (let i = 0; i < row.columns.length; i++) starts[row.columns[i]! + 1]!++;
  for (let column = 0; column < columns; column++) starts[column + 1]! += starts[column]!;
  const rows = new Uint32Array(starts[columns]!);
  const values = new Uint32Array(starts[columns]!);
  const ends = starts.slice(0, columns);
  for (const [content, row] of contents.all.entries())
    for (let i = 0; i < row.columns.length; i++) {
      const at = ends[row.columns[i]!]!++;
      rows[at] = content;
      values[at] = row.values[i]!;
    }

  const part = (column: number): RowValues => ({
    width: 0,
    base: 0,
    columns: rows.subarray(starts[column], starts[column + 1]),
    values: values.subarray(starts[column], starts[column + 1]),
  });
  const columnContents = new Contents<RowValues>(hashRow, sameRow, isUncertain);
  const columnContentOf = new Uint32Array(columns);
  for (let column = 0; column < columns; column++)
    columnContentOf[column] = columnContents.numberOf(part(column));
  const bases = Uint32Array.from(contents.all, ({ base }) => base);
  return { contentOf, bases, starts, rows, values, columnContentOf };
}

/** What all contents of the table say to one column. */
export function readColumn(
  { bases, starts, rows, values }: Transposed,
  column: number,
  into: Uint32Array,
): void {
  into.set(bases);
  for (let i = starts[column]!; i < starts[column + 1]!; i++) into[rows[i]!] = values[i]!;
}

/** Numbers things by what they hold. Equal hashes are compared: they may be an accident. */
class Contents<T> {
  readonly all: T[] = [];
  private readonly byHash = new Map<number, number[]>();

  constructor(
    private readonly hash: (value: T) => number,
    private readonly same: (a: T, b: T) => boolean,
    /** Whether a value never equals another one. */
    private readonly isUnlike: (value: T) => boolean,
  ) {}

  numberOf(value: T): number {
    if (this.isUnlike(value)) return this.all.push(value) - 1;
    const hash = this.hash(value);
    const candidates = this.byHash.get(hash);
    const known = candidates?.find((number) => this.same(this.all[number]!, value));
    if (known !== undefined) return known;
    const number = this.all.push(value) - 1;
    if (candidates === undefined) this.byHash.set(hash, [number]);
    else candidates.push(number);
    return number;
  }
}

function hashRow({ base, columns, values }: RowValues): number {
  let hash = base;
  for (let i = 0; i < columns.length; i++)
    hash = Math.imul(hash ^ columns[i]!, 16777619) ^ Math.imul(values[i]!, 374761393);
  return hash;
}
