import { ColumnMembership } from "./column-membership.js";
import { holds } from "./sorted.js";

/** A set of columns of a table, held once however many rules name it. */
export class ColumnSet {
  constructor(
    readonly id: number,
    private listed: Uint32Array,
  ) {}

  /** Ascending. */
  get members(): Uint32Array {
    return this.listed;
  }

  holds(column: number): boolean {
    return holds(this.listed, column);
  }

  /** Adds a column with a higher number than all others. */
  append(column: number): void {
    const { buffer, length } = this.listed;
    const bytes = (length + 1) * Uint32Array.BYTES_PER_ELEMENT;
    if (buffer.byteLength < bytes) {
      const larger = new Uint32Array(2 * length + 4);
      larger.set(this.listed);
      this.listed = larger;
    }
    this.listed = new Uint32Array(this.listed.buffer, 0, length + 1);
    this.listed[length] = column;
  }
}

/** An update compares a few columns at a time. */
const mostAsked = 8;

interface Part {
  readonly set: ColumnSet;
  readonly keep: (column: number) => boolean;
}

export class ColumnSets {
  private readonly byKey = new Map<string, ColumnSet>();
  /** By the id of the whole set: its parts, by name. */
  private readonly parts = new Map<number, Map<string, Part>>();
  private count = 0;
  /** Of the columns that were asked about last. */
  private readonly asked = new Map<number, ColumnMembership>();
  /** Never holds anything. */
  readonly empty = this.named("(nothing)", () => []);

  /** The set with this key; `members` must return the same for the same key. */
  named(key: string, members: () => Iterable<number>): ColumnSet {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const made = this.add(new Uint32Array(members()));
    this.byKey.set(key, made);
    return made;
  }

  /** The members that `keep` accepts; `name` distinguishes the parts of one set. */
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

  /** Adds a column with a higher number than all others to a set, and to those of its parts that accept it. */
  append(set: ColumnSet, column: number): void {
    set.append(column);
    this.asked.clear();
    for (const part of this.parts.get(set.id)?.values() ?? [])
      if (part.keep(column)) this.append(part.set, column);
  }

  /** Which sets hold a column. */
  membershipOf(column: number): ColumnMembership {
    const known = this.asked.get(column);
    if (known?.size === this.count) return known;
    if (this.asked.size === mostAsked) this.asked.clear();
    const made = new ColumnMembership(column, this.count);
    this.asked.set(column, made);
    return made;
  }

  private add(members: Uint32Array): ColumnSet {
    return new ColumnSet(this.count++, members);
  }
}

/**
 * Numbers columns so that those in the same sets share a number: tables hold one column for all of them. Each set
 * splits the groups that it holds only a part of, at a cost proportional to its own size.
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
    for (let i = 0; i < members.length; i++) {
      const group = groupOf[members[i]!]!;
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
    for (let i = 0; i < members.length; i++) groupOf[members[i]!] = movedTo[groupOf[members[i]!]!]!;
    for (const group of touched) reached[group] = 0;
  }
  return { groupOf, count: sizes.length };
}
