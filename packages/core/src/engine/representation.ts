import type { PortAtoms as Atoms } from "./port-atoms.js";
import { PortAtoms } from "./port-atoms.js";
import type { PortSetId } from "./port-sets.js";
import type { View } from "./view.js";

/**
 * How all pairs are found. `tables`: what each tier says is computed once for all classes it treats alike, and kept.
 * `streamed`: where hardly two pods are alike, nothing is kept but the row at hand.
 */
export type Representation = "tables" | "streamed";

/** Entries of tables beyond which they cost more than going through the rules of every pod anew. */
const mostEntries = 50_000_000;

/** Words of a mask beyond which walks in masks cost more than tables. */
const widest = 64;

export function representationFor(view: View): Representation {
  return isLarge(view) && portsOf(view).borders <= widest * 32 ? "streamed" : "tables";
}

/** The atoms of all rules of a view. */
export function atomsOf(view: View): Atoms {
  return new PortAtoms(portsOf(view).sets, view.answers.ports, view.outcomes);
}

/** Whether the tables could have too many entries: at most one for each column that some rule of a row speaks of. */
function isLarge(view: View): boolean {
  let entries = 0;
  for (const { rows, inside } of [...view.layers.egress, ...view.layers.ingress])
    for (const row of rows.rows) {
      let spokenOf = 0;
      for (const { set } of inside.itemsOf(row)) spokenOf += set.members.length;
      entries += Math.min(spokenOf, view.ends.columns);
      if (entries > mostEntries) return true;
    }
  return false;
}

function portsOf(view: View): { readonly sets: ReadonlySet<PortSetId>; readonly borders: number } {
  const sets = new Set<PortSetId>();
  for (const { rows, inside } of [...view.layers.egress, ...view.layers.ingress])
    for (const row of rows.rows) for (const { ports } of inside.itemsOf(row)) sets.add(ports);
  const borders = new Set<number>();
  for (const set of sets) for (const border of view.answers.ports.bordersOf(set)) borders.add(border);
  return { sets, borders: borders.size };
}
