/** A set of columns, as far as it matters here. */
interface Holding {
  readonly id: number;
  readonly holds: (column: number) => boolean;
}

/** Which sets hold one column. Mostly many rows are asked about the same column, and each set is looked at once for all. */
export class ColumnMembership {
  /** By id of a set: `isMember`, `isNone`, or not known yet. Callers with thousands of lookups read this first. */
  readonly known: Uint8Array;

  constructor(
    readonly column: number,
    /** How many sets there were. */
    readonly size: number,
  ) {
    this.known = new Uint8Array(size);
  }

  isIn(set: Holding): boolean {
    const known = this.known[set.id];
    if (known === isMember || known === isNone) return known === isMember;
    const found = set.holds(this.column);
    this.known[set.id] = found ? isMember : isNone;
    return found;
  }
}

export const [isMember, isNone] = [1, 2] as const;
