import type { Direction } from "../policy/model.js";
import { type ColumnSet, groupColumns } from "./column-sets.js";
import type { EndClass } from "./ends.js";
import type { Engine } from "./engine.js";
import { fieldsOf, type Field } from "./fields.js";
import type { Layer } from "./layer.js";
import type { Item } from "./rule-items.js";
import type { Row } from "./tier-rows.js";
import type { TierTable } from "./tier-table.js";

/*
 * What one walk sees, for all walks at once. Subjects to whom every tier of a direction says the same are together; the
 * ends they meet that no set of these rules tells apart are one cell. Whatever holds of the cells of all lanes holds of
 * all connections, and there are far fewer of them.
 */
export interface Lane {
  readonly field: Field;
  readonly direction: Direction;
  readonly subjects: readonly EndClass[];
  readonly tiers: readonly LaneTier[];
  readonly cells: number;
  /** One of the columns of the field that a cell stands for. */
  readonly firstColumnOf: (cell: number) => number;
  /** By cell: in how many pairs the subjects meet it; of external addresses, how many ranges it holds. */
  readonly pairs: Float64Array;
  /** By cell, whether isolation has nothing to say to it (S1.6). */
  readonly isExempt: Uint8Array;
}

export interface LaneTier {
  readonly layer: Layer;
  readonly row: Row;
  readonly items: readonly LaneItem[];
}

export interface LaneItem extends Pick<Item, "ports" | "effect" | "rule"> {
  readonly cells: Uint32Array;
}

/** All lanes, unless nobody wants to know about the rules of their rows. */
export function* lanesOf(
  engine: Engine,
  isWanted: (rows: readonly Row[], direction: Direction) => boolean,
): Iterable<Lane> {
  for (const field of fieldsOf(engine))
    for (const direction of ["egress", "ingress"] as const) {
      const layers = field.view.layers[direction];
      for (const subjects of subjectsMetAlike(field, direction)) {
        const rows = field.view.rowsOf(direction, subjects[0]!);
        if (rows.some(({ rules }) => rules.length > 0) && isWanted(rows, direction))
          yield laneOf(field, direction, subjects, rows, layers);
      }
    }
}

/** Subjects to whom the same is said: their rows have the same items in this field, and the same isolation. */
function subjectsMetAlike(field: Field, direction: Direction): Iterable<EndClass[]> {
  const layers = field.view.layers[direction];
  const sayings = layers.map((layer) => new Sayings(field.tableOf(layer)));
  const groups = new Map<string, EndClass[]>();
  for (const subject of field.subjects) {
    const key = layers.map(({ rows }, i) => sayings[i]!.of(rows.rows[rows.rowOf[subject.index]!]!)).join();
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [subject]);
    else known.push(subject);
  }
  return groups.values();
}

/** One number for rows of a table that say the same. */
class Sayings {
  private readonly byRow = new Map<Row, number>();
  private readonly byText = new Map<string, number>();
  private readonly numbers = new Map<object, number>();

  constructor(private readonly table: TierTable) {}

  of(row: Row): number {
    const known = this.byRow.get(row);
    if (known !== undefined) return known;
    const items = this.table
      .itemsOf(row)
      .filter(({ set }) => set.members.length > 0)
      .map(({ set, ports, effect, rule }) => `${set.id} ${ports} ${effect} ${this.numberOf(rule)}`);
    const text = [...items, ...row.isolation.map((entry) => `isolation ${this.numberOf(entry)}`)].join();
    const found = this.byText.get(text) ?? this.byText.size;
    this.byText.set(text, found);
    this.byRow.set(row, found);
    return found;
  }

  private numberOf(thing: object): number {
    const known = this.numbers.get(thing) ?? this.numbers.size;
    this.numbers.set(thing, known);
    return known;
  }
}

function laneOf(
  field: Field,
  direction: Direction,
  subjects: readonly EndClass[],
  rows: readonly Row[],
  layers: readonly Layer[],
): Lane {
  const items = layers.map((layer, i) =>
    field
      .tableOf(layer)
      .itemsOf(rows[i]!)
      .filter(({ set }) => set.members.length > 0),
  );
  const { columns, pairs } = field.meets(subjects);
  const cells = new Cells(field, columns, new Set(items.flatMap((list) => list.map(({ set }) => set))));
  const isExempt = Uint8Array.from(cells.first, (column) =>
    direction === "ingress" && field.isOwn(column) ? 1 : 0,
  );
  return {
    field,
    direction,
    subjects,
    tiers: layers.map((layer, i) => ({
      layer,
      row: rows[i]!,
      items: items[i]!.flatMap(({ set, ports, effect, rule }) => {
        const within = cells.of(set);
        return within.length === 0 ? [] : { ports, effect, rule, cells: within };
      }),
    })),
    cells: cells.first.length,
    firstColumnOf: (cell) => cells.first[cell]!,
    pairs: cells.sum(columns, pairs),
    isExempt,
  };
}

/** Columns that are met, those in the same sets as one. */
class Cells {
  /** By cell, the first of its columns. */
  readonly first: readonly number[];
  /** By column: the number of its cell and one more; 0 where it is not met. */
  private readonly cellOf: Uint32Array;
  private readonly found = new Map<ColumnSet, Uint32Array>();

  constructor(field: Field, met: Uint32Array, sets: ReadonlySet<ColumnSet>) {
    const own = { members: met.filter((column) => field.isOwn(column)) };
    const { groupOf, count } = groupColumns(field.columns, [own, ...sets]);
    const cellOfGroup = new Uint32Array(count);
    const first: number[] = [];
    this.cellOf = new Uint32Array(field.columns);
    for (let i = 0; i < met.length; i++) {
      const column = met[i]!;
      const group = groupOf[column]!;
      if (cellOfGroup[group] === 0) cellOfGroup[group] = first.push(column);
      this.cellOf[column] = cellOfGroup[group]!;
    }
    this.first = first;
  }

  of(set: ColumnSet): Uint32Array {
    const known = this.found.get(set);
    if (known !== undefined) return known;
    const isIn = new Uint8Array(this.first.length + 1);
    let count = 0;
    for (let i = 0; i < set.members.length; i++) {
      const cell = this.cellOf[set.members[i]!]!;
      if (cell === 0 || isIn[cell] === 1) continue;
      isIn[cell] = 1;
      count++;
    }
    const made = new Uint32Array(count);
    for (let cell = 1, at = 0; cell < isIn.length; cell++) if (isIn[cell] === 1) made[at++] = cell - 1;
    this.found.set(set, made);
    return made;
  }

  sum(met: Uint32Array, pairs: (column: number) => number): Float64Array {
    const sums = new Float64Array(this.first.length);
    for (let i = 0; i < met.length; i++) sums[this.cellOf[met[i]!]! - 1]! += pairs(met[i]!);
    return sums;
  }
}
