import type { Item } from "./rule-items.js";
import type { Row } from "./tier-rows.js";

/** Finds the rows of a table that look at given sets of columns. Rows are only ever added. */
export class RowsBySet {
  private readonly rows = new Map<number, number[]>();
  private listed = 0;

  /** By number; `sets` by id. */
  find(
    sets: ReadonlySet<number>,
    rows: readonly Row[],
    itemsOf: (row: Row) => readonly Item[],
  ): ReadonlySet<number> {
    for (; this.listed < rows.length; this.listed++) this.list(rows[this.listed]!, itemsOf);
    const found = new Set<number>();
    for (const set of sets) for (const row of this.rows.get(set) ?? []) found.add(row);
    return found;
  }

  private list(row: Row, itemsOf: (row: Row) => readonly Item[]): void {
    for (const id of new Set(itemsOf(row).map(({ set }) => set.id))) {
      const known = this.rows.get(id);
      if (known === undefined) this.rows.set(id, [row.index]);
      else known.push(row.index);
    }
  }
}
