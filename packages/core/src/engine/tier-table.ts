import type { Direction } from "../policy/model.js";
import { CellWork } from "./cell-work.js";
import { type ColumnSet, holds } from "./column-sets.js";
import { Layout } from "./layout.js";
import type { OutcomeId, Outcomes } from "./outcomes.js";
import type { PortSetId } from "./port-sets.js";
import { PortAtoms } from "./port-atoms.js";
import { type Item, ownHost, type RuleItems, type Space } from "./rule-items.js";
import type { RowValues } from "./row-work.js";
import type { Row, TierRows } from "./tier-rows.js";

/** One tier in one direction: a row for each way its rules apply to subjects, a column for each other end. */
export class TierTable {
  private readonly itemLists: (readonly Item[] | undefined)[] = [];
  private readonly rowValues: (RowValues | undefined)[] = [];
  private readonly rowAtoms: (PortAtoms | undefined)[] = [];
  private readonly atomsOfPorts = new Map<string, PortAtoms>();
  /** What rows that were computed before say to columns that came later; rows never change, so tables may share it. */
  private readonly later = new Map<number, OutcomeId>();
  layout: Layout;
  private readonly atoms: PortAtoms | undefined;

  /** `grouped`: columns that all rules treat alike are held once, which pays where rows look at most columns. */
  constructor(
    readonly rows: TierRows,
    direction: Direction,
    space: Space,
    private readonly items: RuleItems,
    private readonly outcomes: Outcomes,
    grouped: boolean,
  ) {
    // S1.6: what a pod's own node may do is not for isolation to say.
    const isExemptKind = Array.from(
      { length: space.kinds },
      (_, kind) => direction === "ingress" && kind === ownHost,
    );
    this.layout = grouped
      ? Layout.grouped(space, isExemptKind, this.usedSets())
      : Layout.plain(space, isExemptKind);
    if (!grouped) return;
    const all = new Set<PortSetId>();
    for (const row of rows.rows) for (const { ports } of this.itemsOf(row)) all.add(ports);
    const atoms = new PortAtoms(all, outcomes.ports, outcomes);
    if (atoms.width <= widest) this.atoms = atoms;
  }

  /** The same table for rows of which most are the same: what is known of those is kept. */
  withRows(rows: TierRows): TierTable {
    const table = Object.create(TierTable.prototype) as TierTable;
    return Object.assign(table, this, {
      rows,
      itemLists: [...this.itemLists],
      rowValues: [...this.rowValues],
      rowAtoms: [...this.rowAtoms],
    });
  }

  /** A column that came later than all others. */
  addColumn(kind: number): void {
    this.layout = this.layout.withColumn(kind);
  }

  at(row: number, column: number): OutcomeId {
    const wanted = this.layout.columnOf[column]!;
    const known = this.rowValues[row];
    if (known !== undefined && wanted >= known.width) return this.laterAt(row, wanted, column);
    const { base, columns, values } = known ?? this.values(row);
    let low = 0;
    let high = columns.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (columns[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return columns[low] === wanted ? values[low]! : base;
  }

  values(row: number): RowValues {
    const known = this.rowValues[row];
    if (known !== undefined && known.width === this.layout.columns) return known;
    const made = this.compute(this.rows.rows[row]!);
    this.rowValues[row] = made;
    return made;
  }

  private laterAt(row: number, wanted: number, column: number): OutcomeId {
    const key = row * 0x4000000 + column;
    const known = this.later.get(key);
    if (known !== undefined) return known;
    const { layout } = this;
    const { index, isolation } = this.rows.rows[row]!;
    const atoms = this.atomsFor(this.rows.rows[row]!);
    const cell = new CellWork(atoms.width);
    for (const { set, ports, effect } of this.itemsOf(this.rows.rows[index]!))
      if (holds(set, column)) cell.take(atoms.mask(ports), effect);
    const made = cell.finish(isolation.length > 0 && !layout.isExemptKind[layout.kindOf[wanted]!]!, atoms);
    this.later.set(key, made);
    return made;
  }

  itemsOf(row: Row): readonly Item[] {
    return (this.itemLists[row.index] ??= row.rules.flatMap((rule) => this.items.of(rule, row.subject)));
  }

  private *usedSets(): Iterable<ColumnSet> {
    const seen = new Set<ColumnSet>();
    for (const row of this.rows.rows)
      for (const { set } of this.itemsOf(row)) {
        if (seen.has(set)) continue;
        seen.add(set);
        yield set;
      }
  }

  /** Of all rules of the table, so that rows share what comes out; where that is too much, of each row's own. */
  private atomsFor(row: Row): PortAtoms {
    return this.atoms ?? (this.rowAtoms[row.index] ??= this.ownAtoms(this.itemsOf(row)));
  }

  private ownAtoms(items: readonly Item[]): PortAtoms {
    const ports = [...new Set(items.map((item) => item.ports))].sort((a, b) => a - b);
    const key = ports.join();
    const known = this.atomsOfPorts.get(key);
    if (known !== undefined) return known;
    const made = new PortAtoms(ports, this.outcomes.ports, this.outcomes);
    this.atomsOfPorts.set(key, made);
    return made;
  }

  private compute(row: Row): RowValues {
    const { layout } = this;
    const atoms = this.atomsFor(row);
    const work = layout.begin(atoms.width);
    for (const { set, ports, effect } of this.itemsOf(row))
      work.take(layout.of(set), atoms.mask(ports), effect);
    return work.finish(row.isolation.length > 0, atoms);
  }
}

/** Words of a mask beyond which a table's rows are better off with masks of their own. */
const widest = 16;
