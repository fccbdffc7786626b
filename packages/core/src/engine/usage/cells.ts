import { type ColumnSet, groupColumns } from "../../sets/column-sets.js";
import { lastAtMost } from "../../sets/sorted.js";

/** Groups of columns that some sets do not distinguish; only columns that subjects meet. */
export interface Cells {
  /** By cell, the first of its columns. */
  readonly first: Uint32Array;
  /** The cell of a column that is met. */
  readonly cellOf: (column: number) => number;
  /** The cells of one of the sets. */
  readonly of: (set: ColumnSet) => Uint32Array;
  /** By cell, the sum over its columns. */
  readonly sum: (value: (column: number) => number) => Float64Array;
}

type Sets = ReadonlySet<ColumnSet>;

/** Where sets are scattered over the columns: those in the same sets are one. */
export function scatteredCells(
  columns: number,
  met: Uint32Array,
  sets: Iterable<Pick<ColumnSet, "members">>,
): Cells {
  const { groupOf, count } = groupColumns(columns, sets);
  /** By column: the number of its cell and one more; 0 where it is not met. */
  const cellOf = new Uint32Array(columns);
  const cellOfGroup = new Uint32Array(count);
  const first = new Uint32Array(count);
  let cells = 0;
  for (let i = 0; i < met.length; i++) {
    const column = met[i]!;
    const group = groupOf[column]!;
    if (cellOfGroup[group] === 0) {
      first[cells++] = column;
      cellOfGroup[group] = cells;
    }
    cellOf[column] = cellOfGroup[group]!;
  }
  // By cell, the last set that it was found in; and room to list the cells of a set.
  const seenIn = new Uint32Array(cells + 1);
  const room = new Uint32Array(cells);
  let turn = 0;
  return {
    first: first.subarray(0, cells),
    cellOf: (column) => cellOf[column]! - 1,
    of: remembered(({ members }) => {
      let size = 0;
      turn++;
      for (let i = 0; i < members.length; i++) {
        const cell = cellOf[members[i]!]!;
        if (cell === 0 || seenIn[cell] === turn) continue;
        seenIn[cell] = turn;
        room[size++] = cell - 1;
      }
      return room.slice(0, size);
    }),
    sum: (value) => {
      const sums = new Float64Array(cells);
      for (let i = 0; i < met.length; i++) sums[cellOf[met[i]!]! - 1]! += value(met[i]!);
      return sums;
    },
  };
}

/** For sets that are a few ranges of columns, like addresses: a cell is the range between two of their bounds. */
export function rangedCells(from: number, to: number, sets: Sets): Cells {
  const borders = new Set([from]);
  for (const set of sets)
    for (const border of runsOf(set)) if (border > from && border < to) borders.add(border);
  const first = Uint32Array.from(borders).toSorted();
  const cellAt = new Map(Array.from(first, (column, cell) => [column, cell]));
  const behind = (cell: number) => first[cell + 1] ?? to;
  return {
    first,
    cellOf: (column) => lastAtMost(first, column),
    of: remembered((set) => {
      const found: number[] = [];
      const runs = runsOf(set);
      for (let i = 0; i < runs.length; i += 2) {
        const [start, end] = [Math.max(runs[i]!, from), Math.min(runs[i + 1]!, to)];
        if (start >= end) continue;
        for (let cell = cellAt.get(start)!; cell < first.length && first[cell]! < end; cell++)
          found.push(cell);
      }
      return Uint32Array.from(found);
    }),
    sum: (value) =>
      Float64Array.from(first, (column, cell) => {
        let sum = 0;
        for (let at = column; at < behind(cell); at++) sum += value(at);
        return sum;
      }),
  };
}

function remembered(compute: (set: ColumnSet) => Uint32Array): (set: ColumnSet) => Uint32Array {
  const known = new Map<ColumnSet, Uint32Array>();
  return (set) => {
    const found = known.get(set) ?? compute(set);
    known.set(set, found);
    return found;
  };
}

/** By members: where their ranges begin and end, again and again. */
const knownRuns = new WeakMap<Uint32Array, Uint32Array>();

function runsOf({ members }: ColumnSet): Uint32Array {
  const known = knownRuns.get(members);
  if (known !== undefined) return known;
  const runs: number[] = [];
  for (let i = 0; i < members.length; i++) {
    if (i === 0 || members[i] !== members[i - 1]! + 1) runs.push(members[i]!);
    if (members[i + 1] !== members[i]! + 1) runs.push(members[i]! + 1);
  }
  const made = Uint32Array.from(runs);
  knownRuns.set(members, made);
  return made;
}
