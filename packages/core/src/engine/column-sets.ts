/** A set of columns of a table, held once however many rules speak of it. */
export interface ColumnSet {
  readonly id: number;
  readonly key: string;
  /** Ascending. */
  readonly members: Uint32Array;
}

export class ColumnSets {
  private readonly all: ColumnSet[] = [];
  private readonly byKey = new Map<string, ColumnSet>();
  readonly empty = this.named("(nothing)", () => []);

  get size(): number {
    return this.all.length;
  }

  /** The set that goes by this key; `members` must give the same for the same key. */
  named(key: string, members: () => Iterable<number>): ColumnSet {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const list = Uint32Array.from(members());
    if (list.length === 0 && this.all.length > 0) {
      this.byKey.set(key, this.empty);
      return this.empty;
    }
    const made: ColumnSet = { id: this.all.length, key, members: list };
    this.all.push(made);
    this.byKey.set(key, made);
    return made;
  }

  /** Those of its members that `keep` keeps, under a name made from the set's own. */
  part(set: ColumnSet, name: string, keep: (column: number) => boolean): ColumnSet {
    if (set === this.empty) return set;
    const made = this.named(`${name} of ${set.id}`, () => set.members.filter(keep));
    return made.members.length === set.members.length ? set : made;
  }
}

/**
 * Columns that are in the same sets, numbered: tables hold one column for all of them. Each set splits the groups
 * that it holds only a part of, at a cost of its own size.
 */
export function groupColumns(
  columns: number,
  sets: Iterable<Pick<ColumnSet, "members">>,
): { readonly groupOf: Uint32Array; readonly count: number } {
  const groupOf = new Uint32Array(columns);
  const sizes = [columns];
  // For each group that a set reaches: how many of its members are in the set, and the group they move to.
  const reached: number[] = [0];
  const movedTo: number[] = [0];
  for (const { members } of sets) {
    const touched: number[] = [];
    for (const column of members) {
      const group = groupOf[column]!;
      if (reached[group]!++ === 0) touched.push(group);
    }
    for (const group of touched) {
      if (reached[group] === sizes[group]) movedTo[group] = group;
      else {
        movedTo[group] = sizes.push(reached[group]!) - 1;
        sizes[group] = sizes[group]! - reached[group]!;
        reached.push(0);
        movedTo.push(0);
      }
    }
    for (const column of members) groupOf[column] = movedTo[groupOf[column]!]!;
    for (const group of touched) reached[group] = 0;
  }
  return { groupOf, count: sizes.length };
}
