import type { OutcomeId } from "./outcomes.js";

/** A column that came when rows had been computed already, and is not like another in all that the table looks at. */
export class LaterColumn {
  private readonly said: Uint32Array;

  constructor(
    /** An earlier column, to which all rows but some say the same. */
    readonly like: number | undefined,
    /** Those rows, ascending. */
    private readonly telling: Uint32Array,
  ) {
    this.said = new Uint32Array(telling.length).fill(notAsked);
  }

  /** What a row says to it, computed when it is first asked for; undefined where it is what the row says to the earlier one. */
  ask(row: number, compute: () => OutcomeId): OutcomeId | undefined {
    const place = this.placeOf(row);
    if (place === undefined) return this.like === undefined ? compute() : undefined;
    if (this.said[place] === notAsked) this.said[place] = compute();
    return this.said[place]!;
  }

  private placeOf(row: number): number | undefined {
    const { telling } = this;
    let low = 0;
    let high = telling.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (telling[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return low < telling.length && telling[low] === row ? low : undefined;
  }
}

/** Outcomes have smaller numbers. */
const notAsked = 0xffffffff;
