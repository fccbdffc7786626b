import type { Direction } from "../policy/model.js";
import { CellWork } from "./cell-work.js";
import type { ColumnSet } from "./column-sets.js";
import { Layout } from "./layout.js";
import type { OutcomeId, Outcomes } from "./outcomes.js";
import type { PortSetId } from "./port-sets.js";
import { PortAtoms } from "./port-atoms.js";
import { type Item, ownHost, type RuleItems, type Space } from "./rule-items.js";
import { readRow, type RowValues } from "./row-work.js";
import type { Row, TierRows } from "./tier-rows.js";

/** How a table lies in memory, and what its rows share. */
interface Form {
  readonly layout: Layout;
  /** Of the ports of all its rules, unless they are too many. */
  readonly atoms: PortAtoms | undefined;
  /** What groups of columns are told apart by; undefined where each column is by itself. */
  readonly sets: ReadonlySet<ColumnSet> | undefined;
  /** How many rows there were. */
  readonly rows: number;
}

/** One tier in one direction: a row for each way its rules apply to subjects, a column for each other end. */
export class TierTable {
  private readonly itemLists: (readonly Item[] | undefined)[] = [];
  private readonly rowValues: (RowValues | undefined)[] = [];
  private readonly rowAtoms: (PortAtoms | undefined)[] = [];
  private readonly atomsOfPorts = new Map<string, PortAtoms>();
  /** What rows that were computed before say to columns that came later; rows never change, so tables may share it. */
  private readonly later = new Map<number, Float64Array>();
  private readonly cell = new CellWork();
  /** The sets of each row's items, by id. */
  private readonly rowSets: (Uint32Array | undefined)[] = [];
  private form: Form | undefined;

  /** `grouped`: columns that all rules treat alike are held once, which pays where rows look at most columns. */
  constructor(
    readonly rows: TierRows,
    private readonly direction: Direction,
    private readonly space: Space,
    private readonly items: RuleItems,
    private readonly outcomes: Outcomes,
    private readonly grouped: boolean,
  ) {}

  get layout(): Layout {
    return this.formed.layout;
  }

  /** Made when somebody first looks: it takes all rows, and where pairs are streamed nobody does. */
  private get formed(): Form {
    return (this.form ??= this.makeForm());
  }

  private makeForm(): Form {
    const { space, rows, outcomes } = this;
    // S1.6: what a pod's own node may do is not for isolation to say.
    const isExemptKind = Array.from(
      { length: space.kinds },
      (_, kind) => this.direction === "ingress" && kind === ownHost,
    );
    if (!this.grouped)
      return { layout: Layout.plain(space, isExemptKind), atoms: undefined, sets: undefined, rows: 0 };
    const sets = new Set<ColumnSet>();
    const ports = new Set<PortSetId>();
    const look = (items: readonly Item[]) => {
      for (const item of items) {
        sets.add(item.set);
        ports.add(item.ports);
      }
    };
    for (const row of rows.rows) look(this.itemsOf(row));
    // Rules that apply to nobody yet may apply to somebody later.
    const [anyone] = rows.rows;
    for (const rule of rows.tier.rules)
      if (anyone !== undefined && !this.items.dependsOnSubject(rule))
        look(this.items.of(rule, anyone.subject));
    const atoms = new PortAtoms(ports, outcomes.ports, outcomes);
    const layout = Layout.grouped(space, isExemptKind, sets);
    return { layout, atoms: atoms.width <= widest ? atoms : undefined, sets, rows: rows.rows.length };
  }

  /** The same table for rows of which most are the same: what is known of those is kept. */
  withRows(rows: TierRows): TierTable {
    const table = Object.create(TierTable.prototype) as TierTable;
    return Object.assign(table, this, {
      rows,
      itemLists: [...this.itemLists],
      rowValues: [...this.rowValues],
      rowAtoms: [...this.rowAtoms],
      rowSets: [...this.rowSets],
    });
  }

  /** A column that came later than all others. */
  addColumn(column: number, kind: number): void {
    const { form } = this;
    if (form === undefined) return;
    const layout = form.layout.withColumn(kind, this.space.sets.membershipOf(column));
    this.form = { ...form, layout };
  }

  /** A row that came later: where it looks at something new, groups of columns have to be found again. */
  admit(row: Row): void {
    const { form } = this;
    if (form?.sets === undefined) return;
    if (this.itemsOf(row).every(({ set }) => form.sets!.has(set))) return;
    this.form = undefined;
    this.rowValues.length = 0;
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

  /** What a row says to all columns of the table, without computing again what is known. */
  read(row: number, into: Uint32Array): void {
    const known = this.rowValues[row] ?? this.values(row);
    readRow(known, into);
    const { later, columns } = this.layout;
    for (let column = known.width; column < columns; column++)
      into[column] = this.laterAt(row, column, later[column - columns + later.length]!);
  }

  private laterAt(row: number, wanted: number, column: number): OutcomeId {
    let said = this.later.get(column);
    if (said === undefined || row >= said.length) {
      const longer = new Float64Array(2 * this.rows.rows.length).fill(notAsked);
      longer.set(said ?? []);
      said = longer;
      this.later.set(column, said);
    }
    if (said[row] !== notAsked) return said[row]!;
    const { layout, cell } = this;
    const { isolation } = this.rows.rows[row]!;
    const items = this.itemsOf(this.rows.rows[row]!);
    const sets = (this.rowSets[row] ??= Uint32Array.from(items, ({ set }) => set.id));
    const isIn = this.space.sets.membershipOf(column);
    const atoms = this.atomsFor(this.rows.rows[row]!);
    cell.begin(atoms.width);
    for (let i = 0; i < sets.length; i++)
      if (isIn[sets[i]!] === 1) cell.take(atoms.mask(items[i]!.ports), items[i]!.effect);
    const made = cell.finish(isolation.length > 0 && !layout.isExemptKind[layout.kindOf[wanted]!]!, atoms);
    said[row] = made;
    return made;
  }

  itemsOf(row: Row): readonly Item[] {
    const known = this.itemLists[row.index];
    if (known !== undefined) return known;
    const list: Item[] = [];
    for (const rule of row.rules) for (const item of this.items.of(rule, row.subject)) list.push(item);
    this.itemLists[row.index] = list;
    return list;
  }

  /** Of all rules of the table, so that rows share what comes out; where that is too much, of each row's own. */
  private atomsFor(row: Row): PortAtoms {
    const { atoms, rows } = this.formed;
    if (atoms !== undefined && row.index < rows) return atoms;
    return (this.rowAtoms[row.index] ??= this.ownAtoms(this.itemsOf(row)));
  }

  private ownAtoms(items: readonly Item[]): PortAtoms {
    const ports = [...new Set(items.map((item) => item.ports))].toSorted((a, b) => a - b);
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

const notAsked = -1;

/** Words of a mask beyond which a table's rows are better off with masks of their own. */
const widest = 16;
