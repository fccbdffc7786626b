import type { ColumnSet } from "./column-sets.js";

/** Which sets hold one column. Mostly many rows are asked about the same column, and each set is looked at once. */
export class ColumnMembership {
  /** By id of a set: `isMember`, `isNone`, or not known yet. Those who ask about thousands look here first. */
  readonly known: Uint8Array;

  constructor(
    readonly column: number,
    /** How many sets there were. */
    readonly size: number,
    private readonly holds: (set: ColumnSet) => boolean,
  ) {
    this.known = new Uint8Array(size);
  }

  isIn(set: ColumnSet): boolean {
    const known = this.known[set.id];
    if (known === isMember || known === isNone) return known === isMember;
    const found = this.holds(set);
    this.known[set.id] = found ? isMember : isNone;
    return found;
  }
}

export const [isMember, isNone] = [1, 2] as const;
