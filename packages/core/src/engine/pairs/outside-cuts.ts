import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import type { AddressAtoms } from "../../sets/address-atoms.js";
import type { ColumnSet } from "../../sets/column-sets.js";
import type { EndClass } from "../classes/ends.js";
import type { AddressRange } from "./outside-runs.js";
import type { Item } from "../compile/rule-items.js";
import type { View } from "../compile/view.js";

/** Rules, and the numbers that they know addresses by. */
export interface OutsideRules {
  readonly atoms: AddressAtoms;
  readonly items: readonly Item[];
}

/** All that the rules for a subject say about external addresses. */
export function outsideRules(view: View, direction: Direction, subject: EndClass): OutsideRules {
  const { atoms } = view.ends.vocabulary;
  if (subject.kind === "host") return { atoms, items: [] };
  const rows = view.rowsOf(direction, subject);
  return { atoms, items: view.layers[direction].flatMap(({ outside }, i) => outside.itemsOf(rows[i]!)) };
}

/** The first address, by its number, of every range that the rules for a subject treat alike: there are few for each. */
export function addressKinds(
  view: View,
  direction: Direction,
  subject: EndClass,
  family: Family,
): readonly number[] {
  const { atoms, items } = outsideRules(view, direction, subject);
  const [begin, end] = atoms.rangeOf({ family, first: 0n, prefix: 0 });
  const starts = new Set(begin < end ? [begin] : []);
  for (const { set } of items)
    for (const atom of bordersOf(set)) if (atom > begin && atom < end) starts.add(atom);
  return [...starts];
}

/** A range in parts, split where any of the rules distinguishes its addresses. */
export function* cutRange(range: AddressRange, rules: readonly OutsideRules[]): Iterable<AddressRange> {
  const starts = new Set([range.first]);
  for (const { atoms, items } of rules)
    for (const { set } of items)
      for (const atom of bordersOf(set)) {
        if (atom >= atoms.count || atoms.familyOf(atom) !== range.family) continue;
        const { value } = atoms.firstOf(atom);
        if (value > range.first && value <= range.last) starts.add(value);
      }
  const ascending = [...starts].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const [i, first] of ascending.entries()) {
    const next = ascending[i + 1];
    yield { family: range.family, first, last: next === undefined ? range.last : next - 1n };
  }
}

const known = new WeakMap<ColumnSet, readonly number[]>();

/** Where runs of members begin, and the columns behind them. */
function bordersOf(set: ColumnSet): readonly number[] {
  const found = known.get(set);
  if (found !== undefined) return found;
  const borders: number[] = [];
  for (const column of set.members) {
    if (borders.at(-1) === column) borders.pop();
    else borders.push(column);
    borders.push(column + 1);
  }
  known.set(set, borders);
  return borders;
}
