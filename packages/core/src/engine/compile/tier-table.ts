import type { Direction } from "../../policy/model.js";
import { type CellItems, cellItems, CellWork } from "../walk/cell-work.js";
import type { ColumnSet } from "../../sets/column-sets.js";
import { LaterColumn } from "./later-column.js";
import { Layout } from "./layout.js";
import { type OutcomeId, type Outcomes, uncertain } from "./outcomes.js";
import type { PortSetId } from "../../sets/port-sets.js";
import { PortAtoms } from "./port-atoms.js";
import { type Item, ownHost, type RuleItems, type Space } from "./rule-items.js";
import { readRow, type RowValues } from "../walk/row-work.js";
import { RowsBySet } from "./rows-by-set.js";
import type { Row, TierRows } from "./tier-rows.js";
import { ToldRows } from "./told-rows.js";

/** How a table lies in memory, and what its rows share. */
interface Form {
  readonly layout: Layout;
  /** Of the ports of all its rules, unless they are too many. */
  readonly atoms: PortAtoms | undefined;
  /** By id, what groups of columns are told apart by; undefined where each column is by itself. */
  readonly sets: Map<number, ColumnSet> | undefined;
  /** How many rows there were. */
  readonly rows: number;
}

/** One tier in one direction: a row for each way its rules apply to subjects, a column for each other end. */
export class TierTable {
  private readonly itemLists: (readonly Item[] | undefined)[] = [];
  private readonly rowValues: (RowValues | undefined)[] = [];
  private readonly rowAtoms: (PortAtoms | undefined)[] = [];
  private readonly atomsOfPorts = new Map<string, PortAtoms>();
  /** By column of the table. Rows never change, so that tables may share it, and what is known of rows by their sets. */
  private readonly later = new Map<number, LaterColumn>();
  private readonly rowsBySet = new RowsBySet();
  private readonly cells: (CellItems | undefined)[] = [];
  private readonly cell = new CellWork();
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
    const sets = new Map<number, ColumnSet>();
    const ports = new Set<PortSetId>();
    const look = (items: readonly Item[]) => {
      for (const item of items) {
        sets.set(item.set.id, item.set);
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
    const layout = Layout.grouped(space, isExemptKind, sets.values());
    return { layout, atoms: atoms.width <= widest ? atoms : undefined, sets, rows: rows.rows.length };
  }

  /** The same table for rows of which most are the same: what is known of those is kept. */
  withRows(rows: TierRows): TierTable {
    const { direction, space, items, outcomes, grouped } = this;
    return Object.assign(new TierTable(rows, direction, space, items, outcomes, grouped), this, {
      rows,
      itemLists: this.itemLists.slice(),
      rowValues: this.rowValues.slice(),
      rowAtoms: this.rowAtoms.slice(),
      cells: this.cells.slice(),
    });
  }

  /** A column that came later than all others; `like` is an earlier one that only the sets `unlike` tell from it. */
  addColumn(kind: number, like: number | undefined, unlike: ReadonlySet<number>): void {
    const { form } = this;
    if (form === undefined) return;
    const { layout, sets } = form;
    const tellsApart = sets === undefined || [...unlike].some((id) => sets.has(id));
    if (like !== undefined && !tellsApart) layout.addLike(like);
    else {
      const at = layout.addColumn(kind);
      this.later.set(at, new LaterColumn(like, this.rowsLookingAt(unlike)));
    }
  }

  /** A row that came later: what it looks at may tell columns apart that lie together. */
  admit(row: Row): void {
    const { form } = this;
    if (form?.sets === undefined) return;
    for (const { set } of this.itemsOf(row)) {
      if (form.sets.has(set.id)) continue;
      for (const { column, from } of form.layout.split(set))
        this.later.set(column, new LaterColumn(from, new Uint32Array(0)));
      form.sets.set(set.id, set);
    }
  }

  /**
   * Whether a row leaves nothing open to anybody, whoever may come, but to a pod's own node (S1.2, S1.6): it isolates, and
   * passes nothing on, nor may it.
   */
  closes(row: number): boolean {
    const { isolation } = this.rows.rows[row]!;
    return isolation.length > 0 && this.itemsOf(this.rows.rows[row]!).every(settles);
  }

  /** The rows that may not say the same to two columns which only the sets `unlike` tell apart. */
  rowsTelling(was: number, is: number, unlike: ReadonlySet<number>): ToldRows {
    return new ToldRows(this.rows.rows.length, this.rowsLookingAt(unlike), {
      was: (row) => this.at(row, was),
      is: (row) => this.at(row, is),
    });
  }

  /**
   * The columns of the space to which two rows may say different things; undefined where that may be any. What both say
   * the same is not looked at; what they leave uncertain is.
   */
  columnsBetween(a: number, b: number): readonly number[] | undefined {
    const { layout, sets } = this.formed;
    const [one, other] = [this.knownValues(a), this.knownValues(b)];
    if (sets !== undefined || one.base !== other.base || one.base === uncertain) return undefined;
    const singledOut = new Set([...one.columns, ...other.columns]);
    for (let column = Math.min(one.width, other.width); column < layout.columns; column++)
      singledOut.add(column);
    return [...singledOut].filter((column) => {
      const said = this.at(a, column);
      return said === uncertain || said !== this.at(b, column);
    });
  }

  /** Only these can tell columns apart that only the sets do. */
  private rowsLookingAt(sets: ReadonlySet<number>): Uint32Array {
    return this.rowsBySet.find(sets, this.rows.rows, (row) => this.itemsOf(row));
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

  /** The same, without finding out what the row says to others: for columns that are about all that it is asked about. */
  aloneAt(row: number, column: number): OutcomeId {
    if (this.rowValues[row] !== undefined) return this.at(row, column);
    const { cell } = this;
    const its = this.rows.rows[row]!;
    const atoms = this.atomsFor(its);
    const membership = this.space.sets.membershipOf(column);
    cell.begin(atoms.width);
    for (const { set, ports, effect } of this.itemsOf(its))
      if (membership.isIn(set) && cell.take(atoms.mask(ports), effect)) break;
    return this.finishCell(its, this.layout.columnOf[column]!, atoms);
  }

  values(row: number): RowValues {
    const known = this.rowValues[row];
    if (known !== undefined && known.width === this.layout.columns) return known;
    const made = this.compute(this.rows.rows[row]!);
    this.rowValues[row] = made;
    return made;
  }

  /** Perhaps without the columns that came later. */
  private knownValues(row: number): RowValues {
    return this.rowValues[row] ?? this.values(row);
  }

  /** What a row says to all columns of the table, without computing again what is known. */
  read(row: number, into: Uint32Array): void {
    const known = this.knownValues(row);
    readRow(known, into);
    const { later, columns } = this.layout;
    for (let column = known.width; column < columns; column++)
      into[column] = this.laterAt(row, column, later[column - columns + later.length]!);
  }

  /** By column of the table, what a row says to it; perhaps without the columns that came later. */
  spread(row: number): Uint32Array {
    const known = this.knownValues(row);
    const said = new Uint32Array(known.width);
    readRow(known, said);
    return said;
  }

  private laterAt(row: number, wanted: number, column: number): OutcomeId {
    const later = this.later.get(wanted)!;
    return later.ask(row, () => this.computeCell(row, wanted, column)) ?? this.at(row, later.like!);
  }

  private computeCell(row: number, wanted: number, column: number): OutcomeId {
    const { cell } = this;
    const its = this.rows.rows[row]!;
    const atoms = this.atomsFor(its);
    cell.begin(atoms.width);
    cell.takeAll(
      (this.cells[row] ??= cellItems(this.itemsOf(its))),
      this.space.sets.membershipOf(column),
      atoms,
    );
    return this.finishCell(its, wanted, atoms);
  }

  private finishCell({ isolation }: Row, wanted: number, atoms: PortAtoms): OutcomeId {
    const { layout, cell } = this;
    const isIsolated = isolation.length > 0;
    return cell.finish(isIsolated && !layout.isExemptKind[layout.kindOf[wanted]!]!, atoms);
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

const settles = ({ effect }: Item): boolean => effect === "Allow" || effect === "Deny";

/** Words of a mask beyond which a table's rows are better off with masks of their own. */
const widest = 16;
