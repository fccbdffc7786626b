import type { Direction } from "../../policy/model.js";
import type { Cells } from "./cells.js";
import type { ColumnSet } from "../../sets/column-sets.js";
import type { EndClass } from "../classes/ends.js";
import { type Compiled, fieldsOf, type Field, type UnplacedPairs } from "./fields.js";
import type { Layer } from "../compile/layer.js";
import type { Item } from "../compile/rule-items.js";
import type { Row } from "../compile/tier-rows.js";
import type { TierTable } from "../compile/tier-table.js";

/*
 * What one walk sees, for all walks at once. A lane groups subjects with the same rules in every tier of a direction.
 * Endpoints that no set of these rules distinguishes are one cell. What is true for the cells of all lanes is true for
 * all connections, and there are far fewer cells.
 */
export interface Lane {
  readonly field: Field;
  readonly direction: Direction;
  readonly subjects: readonly EndClass[];
  readonly tiers: readonly LaneTier[];
  readonly cells: number;
  /** How many cells all items have together. */
  readonly size: number;
  /** One of the columns of the field that a cell represents. */
  readonly firstColumnOf: (cell: number) => number;
  /** By cell: in how many pairs the subjects surely meet it; 1 for external addresses. */
  readonly pairs: Float64Array;
  /** By cell, whether some subject surely meets it, be it in no pair but by itself. */
  readonly isSure: Uint8Array;
  readonly unplaced: readonly UnplacedPairs[];
  /** By cell, whether isolation does not apply to it (S1.6). */
  readonly isExempt: Uint8Array;
}

export interface LaneTier {
  readonly layer: Layer;
  readonly row: Row;
  readonly items: readonly LaneItem[];
}

export interface LaneItem extends Pick<Item, "ports" | "effect" | "rule" | "step"> {
  readonly cells: Uint32Array;
  /** How many cells all items of the lane before it have: where notes about its own begin. */
  readonly start: number;
}

/** Receives the lanes. */
export interface LaneReader {
  /** Whether the rules of these rows, one of each tier, are of interest. */
  readonly wants: (rows: readonly Row[], direction: Direction) => boolean;
  readonly read: (lane: Lane) => void;
}

/**
 * Passes all lanes to the readers. Building lanes is half of the work, so pass all readers in one call. Subjects
 * without a row that `concerns` a reader are skipped early, so a question about one policy costs less than all.
 */
export function readLanes(
  engine: Compiled,
  readers: readonly LaneReader[],
  concerns?: (row: Row) => boolean,
): void {
  const lanes = showLanes(engine, readers, concerns);
  while (lanes.next().done !== true);
}

/** The same a lane at a time. The engine must take no update before all are shown. */
export function* showLanes(
  engine: Compiled,
  readers: readonly LaneReader[],
  concerns?: (row: Row) => boolean,
): Generator<void, void> {
  for (const field of fieldsOf(engine))
    for (const direction of ["egress", "ingress"] as const)
      for (const subjects of subjectsMetAlike(field, direction, concerns)) {
        yield;
        const rows = field.view.rowsOf(direction, subjects[0]!);
        const interested = readers.filter((reader) => reader.wants(rows, direction));
        if (interested.length === 0) continue;
        const lane = laneOf(field, direction, subjects, rows);
        for (const reader of interested) reader.read(lane);
      }
}

/** Subjects with the same rules: their rows have the same items in this field, and the same isolation. */
function subjectsMetAlike(
  field: Field,
  direction: Direction,
  concerns: ((row: Row) => boolean) | undefined,
): Iterable<EndClass[]> {
  const layers = field.view.layers[direction];
  const contents = layers.map((layer) => new RowContents(field.tableOf(layer)));
  const groups = new Map<string, EndClass[]>();
  for (const subject of field.subjects) {
    const rows = layers.map((layer) => layer.rows.rows[layer.rows.rowOf[subject.index]!]!);
    if (concerns !== undefined && !rows.some(concerns)) continue;
    const key = rows.map((row, i) => contents[i]!.of(row)).join();
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [subject]);
    else known.push(subject);
  }
  return groups.values();
}

/** One number for rows of a table that say the same. */
class RowContents {
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
): Lane {
  const layers = field.view.layers[direction];
  const items = layers.map((layer, i) => field.tableOf(layer).itemsOf(rows[i]!));
  const sets = new Set<ColumnSet>();
  for (const list of items) for (const { set } of list) sets.add(set);
  const { cells, pairs, isSure, unplaced } = field.meets(subjects, sets);
  const isExempt = new Uint8Array(cells.first.length);
  if (direction === "ingress")
    for (let cell = 0; cell < isExempt.length; cell++)
      if (field.isOwn(cells.first[cell]!)) isExempt[cell] = 1;
  let size = 0;
  const laneItems = items.map((list) => {
    const found = itemsIn(cells, list, size);
    for (const item of found) size += item.cells.length;
    return found;
  });
  return {
    field,
    direction,
    subjects,
    tiers: layers.map((layer, i) => ({
      layer,
      row: rows[i]!,
      items: laneItems[i]!,
    })),
    cells: cells.first.length,
    size,
    firstColumnOf: (cell) => cells.first[cell]!,
    pairs,
    isSure,
    unplaced,
    isExempt,
  };
}

function itemsIn(cells: Cells, items: readonly Item[], start: number): readonly LaneItem[] {
  const found: LaneItem[] = [];
  let next = start;
  for (const { set, ports, effect, rule, step } of items) {
    const within = set.members.length === 0 ? undefined : cells.of(set);
    if (within === undefined || within.length === 0) continue;
    found.push({ ports, effect, rule, step, cells: within, start: next });
    next += within.length;
  }
  return found;
}
