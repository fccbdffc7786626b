/** A set of columns of a table, held once however many rules speak of it. */
export interface ColumnSet {
  readonly id: number;
  /** Ascending. Columns may be added behind the last. */
  members: Uint32Array;
}

interface Part {
  readonly set: ColumnSet;
  readonly keep: (column: number) => boolean;
}

export class ColumnSets {
  private readonly all: ColumnSet[] = [];
  private readonly byKey = new Map<string, ColumnSet>();
  /** By the id of the whole: its parts, by name. */
  private readonly parts = new Map<number, Map<string, Part>>();
  /** By column that came later: 1 for each set, by id, that it was added to. Sets may have been made since. */
  private readonly later = new Map<number, Uint8Array>();
  /** Holds nothing, and never will. */
  readonly empty = this.named("(nothing)", () => []);

  get size(): number {
    return this.all.length;
  }

  /** The set that goes by this key; `members` must give the same for the same key. */
  named(key: string, members: () => Iterable<number>): ColumnSet {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const made = this.add(new Uint32Array(members()));
    this.byKey.set(key, made);
    return made;
  }

  /** Those of its members that `keep` keeps; `name` tells the parts of one set apart. */
  part(set: ColumnSet, name: string, keep: (column: number) => boolean): ColumnSet {
    if (set === this.empty) return set;
    const parts = this.parts.get(set.id) ?? new Map<string, Part>();
    this.parts.set(set.id, parts);
    const known = parts.get(name);
    if (known !== undefined) return known.set;
    const made = this.add(set.members.filter(keep));
    parts.set(name, { set: made, keep });
    return made;
  }

  /** A column that comes later, before it is added to the sets it belongs to. */
  expect(column: number): void {
    this.later.set(column, new Uint8Array(this.all.length));
  }

  /** By the id of a set, whether it holds a column that came later: 1 or 0. */
  membershipOf(column: number): Uint8Array {
    const listed = this.later.get(column) ?? new Uint8Array(0);
    if (listed.length === this.all.length) return listed;
    const longer = new Uint8Array(this.all.length);
    longer.set(listed);
    for (let id = listed.length; id < longer.length; id++) longer[id] = holds(this.all[id]!, column) ? 1 : 0;
    this.later.set(column, longer);
    return longer;
  }

  /** Adds a column that came later than all others, here and in the parts that keep it. */
  extend(set: ColumnSet, column: number): void {
    const listed = this.later.get(column);
    if (listed !== undefined) listed[set.id] = 1;
    const members = new Uint32Array(set.members.length + 1);
    members.set(set.members);
    members[set.members.length] = column;
    set.members = members;
    for (const part of this.parts.get(set.id)?.values() ?? [])
      if (part.keep(column)) this.extend(part.set, column);
  }

  private add(members: Uint32Array): ColumnSet {
    const made: ColumnSet = { id: this.all.length, members };
    this.all.push(made);
    return made;
  }
}

export function holds({ members }: Pick<ColumnSet, "members">, column: number): boolean {
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (members[middle]! < column) low = middle + 1;
    else high = middle;
  }
  return members[low] === column;
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
