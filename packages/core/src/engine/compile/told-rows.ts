import { type OutcomeId, uncertain } from "./outcomes.js";

/**
 * Rows of a table that may say something else to an end than they did. What they said and say is found out row by row, when
 * somebody asks: of most rows nobody does, since the end's own policies refuse those whose rows they are.
 */
export class ToldRows {
  /** By row: its place in the lists, from 1, or 0. */
  private readonly places: Uint32Array;
  private readonly before: Uint32Array;
  private readonly after: Uint32Array;

  constructor(
    rows: number,
    telling: ArrayLike<number>,
    /** What a row says to the end as it was, and as it is. */
    private readonly said: {
      readonly was: (row: number) => OutcomeId;
      readonly is: (row: number) => OutcomeId;
    },
  ) {
    this.places = new Uint32Array(telling.length === 0 ? 0 : rows);
    this.before = new Uint32Array(telling.length).fill(notAsked);
    this.after = new Uint32Array(telling.length).fill(notAsked);
    for (let i = 0; i < telling.length; i++) this.places[telling[i]!] = i + 1;
  }

  get size(): number {
    return this.before.length;
  }

  has(row: number): boolean {
    return this.size > 0 && this.places[row]! > 0;
  }

  was(row: number): OutcomeId {
    return this.ask(this.before, row, this.said.was);
  }

  is(row: number): OutcomeId {
    return this.ask(this.after, row, this.said.is);
  }

  /** Whether a row says something else, or nobody can know that it does not. */
  isAnother(row: number): boolean {
    const is = this.is(row);
    return is === uncertain || is !== this.was(row);
  }

  private ask(known: Uint32Array, row: number, said: (row: number) => OutcomeId): OutcomeId {
    const place = this.places[row]! - 1;
    if (known[place] === notAsked) known[place] = said(row);
    return known[place]!;
  }
}

/** Outcomes have smaller numbers. */
const notAsked = 0xffffffff;
