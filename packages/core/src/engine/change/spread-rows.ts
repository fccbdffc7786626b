import type { EndClass } from "../classes/ends.js";
import type { Layer } from "../compile/layer.js";
import { type Outcomes, silent, uncertain } from "../compile/outcomes.js";
import type { TierTable } from "../compile/tier-table.js";

/** A row, spread out, so that it need not be searched. */
class SpreadRow {
  /** By column of the table; those that came later than the row are asked about one by one. */
  private readonly said: Uint32Array;
  private readonly columnOf: ArrayLike<number>;

  constructor(
    private readonly table: TierTable,
    private readonly row: number,
  ) {
    this.said = table.spread(row);
    this.columnOf = table.layout.columnOf;
  }

  /** Speaks about what the tiers before left open to these columns. */
  composeWith(outcomes: Outcomes, all: Uint32Array, columns: Uint32Array): void {
    const { said, columnOf } = this;
    for (let i = 0; i < all.length; i++) {
      const before = all[i]!;
      if (outcomes.isFinal[before] === 1) continue;
      const at = columnOf[columns[i]!]!;
      const now = at < said.length ? said[at]! : this.table.at(this.row, columns[i]!);
      if (now !== silent) all[i] = before === silent ? now : outcomes.compose(before, now);
    }
  }

  /** Marks the columns of the space to which another row of the table does not surely say the same. */
  markUnlike({ said }: SpreadRow, marks: Uint8Array): void {
    const { columnOf } = this;
    const common = Math.min(said.length, this.said.length);
    const isUnlike = new Uint8Array(this.table.layout.columns).fill(1, common);
    for (let column = 0; column < common; column++)
      if (said[column] !== this.said[column] || said[column] === uncertain) isUnlike[column] = 1;
    for (let column = 0; column < marks.length; column++)
      if (isUnlike[columnOf[column]!] === 1) marks[column] = 1;
  }
}

/** What the policies of a class say to others, tier by tier: for whoever asks about many of them. */
export class SpreadRows {
  private readonly rows: readonly SpreadRow[];

  constructor(
    private readonly outcomes: Outcomes,
    private readonly layers: readonly Layer[],
    private readonly subject: EndClass,
  ) {
    this.rows = layers.map(({ rows, inside }) => new SpreadRow(inside, rows.rowOf[subject.index]!));
  }

  /** What all tiers together say to each of these columns. */
  toAll(columns: Uint32Array): Uint32Array {
    const all = new Uint32Array(columns.length).fill(silent);
    for (const row of this.rows) row.composeWith(this.outcomes, all, columns);
    return all;
  }

  /** By column, a 1 where those of another class may say something else. */
  unlike(other: SpreadRows, columns: number): Uint8Array {
    const marks = new Uint8Array(columns);
    for (const [i, { rows }] of this.layers.entries())
      if (rows.rowOf[this.subject.index] !== rows.rowOf[other.subject.index])
        this.rows[i]!.markUnlike(other.rows[i]!, marks);
    return marks;
  }
}
