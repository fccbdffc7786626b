import type { EndClass } from "../classes/ends.js";
import type { Direction, Rule } from "../../policy/model.js";
import type { ColumnSet } from "../../sets/column-sets.js";
import { lastAtMost } from "../../sets/sorted.js";
import type { CellStates } from "../walk/cell-states.js";
import { type Cells, NumberedCells } from "../walk/cells.js";
import { Layout } from "../walk/layout.js";
import { type OutcomeId, silent } from "../walk/outcomes.js";
import { RowWalk, type TierItems } from "../walk/row-walk.js";
import { readRow, type RowValues, TableWalk } from "../walk/table-walk.js";
import { type Item, ownHost, type RuleItems, type Space } from "./rule-items.js";
import type { Row, TierRows } from "./tier-rows.js";

/** The memory layout of the columns of a table. */
interface Form {
  readonly layout: Layout;
  /** The sets, by id, that groups of columns respect; undefined where each column is by itself. */
  readonly sets: ReadonlySet<number> | undefined;
}

/** One tier in one direction: a row for each way its rules apply to subjects, a column for each other end. */
export class TierTable {
  private readonly itemLists: (readonly Item[] | undefined)[] = [];
  private rowValues: (RowValues | undefined)[] = [];
  private form: Form | undefined;
  private tableWalk: TableWalk | undefined;
  private readonly bindsOwnNode: boolean;

  /** `grouped`: columns that all rules treat alike are stored once, which pays where rows mention most columns. */
  constructor(
    readonly rows: TierRows,
    private readonly direction: Direction,
    readonly space: Space,
    private readonly items: RuleItems,
    private readonly states: CellStates,
    private readonly grouped: boolean,
  ) {
    this.bindsOwnNode = rows.tier.rules.some((rule) => rule.bindsOwnNode);
  }

  /** Lazy, because it needs the items of all rows, and nothing reads it where pairs are streamed. */
  get layout(): Layout {
    return (this.form ??= this.makeForm()).layout;
  }

  private makeForm(): Form {
    const { space, rows } = this;
    if (!this.grouped) return { layout: Layout.plain(space), sets: undefined };
    const sets = new Set<ColumnSet>();
    const add = (rule: Rule, subject: EndClass) => {
      for (const { set } of this.items.of(rule, subject)) sets.add(set);
    };
    // Of all rules: those that select no pods now may select some later.
    const [first] = rows.rows;
    const dependent = new Set(rows.tier.rules.filter((rule) => this.items.dependsOnSubject(rule)));
    for (const rule of first === undefined ? [] : rows.tier.rules)
      if (!dependent.has(rule)) add(rule, first!.subject);
    for (const { rules, subject } of dependent.size === 0 ? [] : rows.rows)
      for (const rule of rules) if (dependent.has(rule)) add(rule, subject);
    return { layout: Layout.grouped(space, sets), sets: new Set(Array.from(sets, ({ id }) => id)) };
  }

  /** The same table for rows of which most are the same: what is known of those is kept. */
  withRows(rows: TierRows): TierTable {
    const { direction, space, items, states, grouped } = this;
    const made = new TierTable(rows, direction, space, items, states, grouped);
    made.form = this.form;
    made.itemLists.push(...this.itemLists);
    made.rowValues.push(...this.rowValues);
    made.respectRows(this.rows.rows.length);
    return made;
  }

  /** Adds a column with a higher number than all others, after the rows from `firstNew` on were added. */
  addColumn(kind: number, firstNew: number): void {
    this.form?.layout.addColumn(kind);
    this.respectRows(firstNew);
  }

  /**
   * A row that is added may distinguish columns that are one. Then the groups are made again, before any row is read: rows
   * that were read before would have other columns than those read after.
   */
  private respectRows(first: number): void {
    const { sets } = this.form ?? {};
    if (sets === undefined) return;
    const isRespected = (row: Row) => this.itemsOf(row).every(({ set }) => sets.has(set.id));
    if (this.rows.rows.slice(first).every(isRespected)) return;
    this.form = undefined;
    this.tableWalk = undefined;
    this.rowValues = [];
  }

  /**
   * Whether a row leaves nothing open to any end, except to a pod's own node (S1.2, S1.6): it isolates, and passes
   * nothing on, nor may it.
   */
  closes(row: number): boolean {
    const { isolation } = this.rows.rows[row]!;
    return isolation.length > 0 && this.itemsOf(this.rows.rows[row]!).every(settles);
  }

  at(row: number, column: number): OutcomeId {
    const { base, columns, values, width } = this.rowValues[row] ?? this.values(row);
    const wanted = this.layout.columnOf[column]!;
    if (wanted >= width) return this.cell(row, column);
    const at = lastAtMost(columns, wanted);
    return columns[at] === wanted ? values[at]! : base;
  }

  /** The same where rows are asked about little else: those that were not read are not computed for all columns. */
  alone(row: number, column: number): OutcomeId {
    return this.rowValues[row] === undefined ? this.cell(row, column) : this.at(row, column);
  }

  /** The same for one column by itself. */
  private cell(row: number, column: number): OutcomeId {
    const { states } = this;
    // S1.6: to a pod's own node, only rules that bind it say anything.
    if (!this.bindsOwnNode && this.isExemptKind(this.space.kindOf(column))) return silent;
    const its = this.rows.rows[row]!;
    const membership = this.space.sets.membershipOf(column);
    let state = states.start;
    for (const { set, step } of this.itemsOf(its)) {
      if (!membership.isIn(set)) continue;
      state = states.take(state, step);
      if (states.isFinal[state] === 1) break;
    }
    const isIsolated = its.isolation.length > 0 && !this.isExemptKind(this.space.kindOf(column));
    return states.outcomeOf(isIsolated ? states.isolate(state) : state);
  }

  /** All columns of the table. */
  values(row: number): RowValues {
    const known = this.rowValues[row];
    if (known !== undefined && known.width === this.layout.columns) return known;
    this.walkRows([row]);
    return this.rowValues[row]!;
  }

  /** Computes rows, those that begin alike together. */
  walkRows(rows: Iterable<number>): void {
    const { columns, kinds } = this.layout;
    const wanted = Array.from(rows).filter((row) => this.rowValues[row]?.width !== columns);
    if (wanted.length === 0) return;
    if (this.tableWalk?.isCurrent !== true)
      this.tableWalk = new TableWalk(
        this.layout,
        new NumberedCells(this.states, columns + kinds),
        this.exemptKinds(kinds),
      );
    const items = wanted.map((row) => this.tierItemsOf(this.rows.rows[row]!));
    this.tableWalk.walk(items, (i, values) => {
      this.rowValues[wanted[i]!] = values;
    });
  }

  /** Writes the outcomes of a row for all columns of the table. */
  read(row: number, into: Uint32Array): void {
    readRow(this.values(row), into);
  }

  tierItemsOf(row: Row): TierItems {
    return { items: this.itemsOf(row), isIsolated: row.isolation.length > 0 };
  }

  /** `cells`: one for each column and one for each kind of columns. */
  walkOver(layout: Layout, cells: Cells): RowWalk {
    return new RowWalk(layout, cells, this.exemptKinds(layout.kinds));
  }

  private exemptKinds(kinds: number): readonly boolean[] {
    return Array.from({ length: kinds }, (_, kind) => this.isExemptKind(kind));
  }

  // S1.6: isolation does not apply to what a pod's own node opens.
  private isExemptKind(kind: number): boolean {
    return this.direction === "ingress" && kind === ownHost;
  }

  itemsOf(row: Row): readonly Item[] {
    const known = this.itemLists[row.index];
    if (known !== undefined) return known;
    const list: Item[] = [];
    for (const rule of row.rules) for (const item of this.items.of(rule, row.subject)) list.push(item);
    this.itemLists[row.index] = list;
    return list;
  }
}

const settles = ({ effect }: Item): boolean => effect === "Allow" || effect === "Deny";
