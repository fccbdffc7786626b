import { ColumnMembership } from "./column-membership.js";

/** A column that came when there were sets already. */
interface LaterColumn {
  readonly column: number;
  /** An earlier column that most sets treat the same. */
  readonly like: number | undefined;
  /** By id, the sets that do not: they hold one of the two. Without a likeness, those that hold the column. */
  readonly unlike: ReadonlySet<number>;
}

/** In the order in which they came, which is that of their numbers. */
class LaterColumns {
  readonly all: LaterColumn[] = [];
  private readonly places = new Map<number, number>();

  add(later: LaterColumn): void {
    this.places.set(later.column, this.all.push(later) - 1);
  }

  placeOf(column: number): number | undefined {
    return this.places.get(column);
  }
}

/** A set of columns of a table, held once however many rules speak of it. */
export class ColumnSet {
  /** How many of the later columns it has taken in, or was made with. */
  private seen: number;

  constructor(
    readonly id: number,
    private listed: Uint32Array,
    private readonly later: LaterColumns,
  ) {
    this.seen = later.all.length;
  }

  /** Ascending. */
  get members(): Uint32Array {
    if (this.seen < this.later.all.length) this.catchUp();
    return this.listed;
  }

  /** The same as looking among the members, without taking in all that came later. */
  holds(column: number): boolean {
    const place = this.later.placeOf(column);
    if (place === undefined || place < this.seen) return holds({ members: this.listed }, column);
    const { like, unlike } = this.later.all[place]!;
    return unlike.has(this.id) !== (like !== undefined && this.holds(like));
  }

  /** Most sets are not looked at between one later column and the next. */
  private catchUp(): void {
    for (const { all } = this.later; this.seen < all.length; this.seen++) {
      const { column } = all[this.seen]!;
      if (this.holds(column)) this.append(column);
    }
  }

  private append(column: number): void {
    const { buffer, length } = this.listed;
    const bytes = (length + 1) * Uint32Array.BYTES_PER_ELEMENT;
    if (buffer.byteLength < bytes) {
      const roomier = new Uint32Array(2 * length + 4);
      roomier.set(this.listed);
      this.listed = roomier;
    }
    this.listed = new Uint32Array(this.listed.buffer, 0, length + 1);
    this.listed[length] = column;
  }
}

interface Part {
  readonly set: ColumnSet;
  readonly keep: (column: number) => boolean;
}

export class ColumnSets {
  private readonly later = new LaterColumns();
  private readonly byKey = new Map<string, ColumnSet>();
  /** By the id of the whole: its parts, by name. */
  private readonly parts = new Map<number, Map<string, Part>>();
  private count = 0;
  private lastAsked: ColumnMembership | undefined;
  /** Holds nothing, and never will. */
  readonly empty = this.named("(nothing)", () => []);

  get size(): number {
    return this.count;
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

  /**
   * Takes in a column that comes later than all others. `unlike` are the sets, by id, that hold it but not the column that
   * it is like, or the other way round; without a likeness, those that hold it.
   */
  addColumn(column: number, like: number | undefined, unlike: ReadonlySet<number>): void {
    this.later.add({ column, like, unlike });
  }

  /** Which sets hold a column. */
  membershipOf(column: number): ColumnMembership {
    const last = this.lastAsked;
    if (last?.column === column && last.size === this.size) return last;
    return (this.lastAsked = new ColumnMembership(column, this.size));
  }

  /** The ids of sets, and of those of their parts that would keep a column. */
  idsWithParts(sets: Iterable<ColumnSet>, column: number, into = new Set<number>()): ReadonlySet<number> {
    for (const set of sets) {
      into.add(set.id);
      for (const part of this.parts.get(set.id)?.values() ?? [])
        if (part.keep(column)) this.idsWithParts([part.set], column, into);
    }
    return into;
  }

  private add(members: Uint32Array): ColumnSet {
    return new ColumnSet(this.count++, members, this.later);
  }
}

export function holds({ members }: { readonly members: ArrayLike<number> }, column: number): boolean {
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
