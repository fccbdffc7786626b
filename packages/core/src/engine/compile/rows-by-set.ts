import { marked } from "../../sets/marks.js";
import type { Item } from "./rule-items.js";
import type { Row } from "./tier-rows.js";

/** Finds the rows of a table that look at given sets of columns. Rows are only ever added. */
export class RowsBySet {
  private readonly rows = new Map<number, number[]>();
  private listed = 0;
  private last: Found | undefined;

  /** By number, ascending; `sets` by id. */
  find(sets: ReadonlySet<number>, rows: readonly Row[], itemsOf: (row: Row) => readonly Item[]): Uint32Array {
    for (; this.listed < rows.length; this.listed++) this.list(rows[this.listed]!, itemsOf);
    const { last, listed } = this;
    if (last?.sets === sets && last.listed === listed) return last.rows;
    const found = this.join(sets);
    this.last = { sets, listed, rows: found };
    return found;
  }

  private join(sets: ReadonlySet<number>): Uint32Array {
    const lists: (readonly number[])[] = [];
    for (const set of sets) {
      const list = this.rows.get(set);
      if (list !== undefined) lists.push(list);
    }
    if (lists.length < 2) return Uint32Array.from(lists[0] ?? []);
    const isFound = new Uint8Array(this.listed);
    for (const list of lists) for (const row of list) isFound[row] = 1;
    return marked(isFound);
  }

  private list(row: Row, itemsOf: (row: Row) => readonly Item[]): void {
    for (const id of new Set(itemsOf(row).map(({ set }) => set.id))) {
      const known = this.rows.get(id);
      if (known === undefined) this.rows.set(id, [row.index]);
      else known.push(row.index);
    }
  }
}

/** What was asked for last: a pod that changes is asked about more than once. */
interface Found {
  readonly sets: ReadonlySet<number>;
  /** How many rows there were. */
  readonly listed: number;
  readonly rows: Uint32Array;
}
