import type { Direction } from "../policy/model.js";
import type { ColumnSet } from "./column-sets.js";
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
  readonly layout: Layout;
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
    const all = new Set(rows.rows.flatMap((row) => portsOf(this.itemsOf(row))));
    const atoms = new PortAtoms(all, outcomes.ports, outcomes);
    if (atoms.width <= widest) this.atoms = atoms;
  }

  at(row: number, column: number): OutcomeId {
    const { base, columns, values } = this.values(row);
    const wanted = this.layout.columnOf[column]!;
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
    return (this.rowValues[row] ??= this.compute(this.rows.rows[row]!));
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
    const { ports } = this.outcomes;
    if (this.atoms === undefined) return new PortAtoms(portsOf(this.itemsOf(row)), ports, this.outcomes);
    return this.atoms;
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

const portsOf = (items: readonly Item[]): readonly PortSetId[] => items.map(({ ports }) => ports);

/** Words of a mask beyond which a table's rows are better off with masks of their own. */
const widest = 16;
