import type { OutcomeId } from "./outcomes.js";

/** Rows of a table that say something else to an end than they did, or may: by number, what they said and what they say. */
export class ToldRows {
  readonly was: OutcomeId[] = [];
  readonly is: OutcomeId[] = [];
  /** By row: its place in these lists, from 1, or 0. Made when there is one. */
  private places = new Uint32Array(0);

  constructor(private readonly rows: number) {}

  get size(): number {
    return this.was.length;
  }

  add(row: number, was: OutcomeId, is: OutcomeId): void {
    if (this.size === 0) this.places = new Uint32Array(this.rows);
    this.was.push(was);
    this.places[row] = this.is.push(is);
  }

  /** Where a row stands in the lists; -1 for those that say what they did. */
  placeOf(row: number): number {
    return (this.places[row] ?? 0) - 1;
  }
}
