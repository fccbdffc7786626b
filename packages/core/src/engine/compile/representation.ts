import { PortAtoms } from "./port-atoms.js";
import type { PortSetId } from "../../sets/port-sets.js";
import type { View } from "./view.js";

/**
 * How all pairs are found. `tables`: what each tier says is computed once for all classes that it treats alike, and
 * kept. `streamed`: where hardly two pods are alike, nothing is kept but the row at hand.
 */
export type Representation = "tables" | "streamed";

export interface Limits {
  /** Entries of tables beyond which going through the rules of every pod anew costs less. */
  readonly entries: number;
  /** Words in a mask of ports beyond which tables cost less after all. */
  readonly words: number;
}

const usualLimits: Limits = { entries: 50_000_000, words: 64 };

export function representationFor(view: View, { entries, words }: Limits = usualLimits): Representation {
  if (!exceeds(view, entries)) return "tables";
  // There are no more atoms than borders, and these are counted quickly.
  return bordersOf(view) <= words * 32 ? "streamed" : "tables";
}

/** The atoms of all rules of a view. */
export function atomsOf(view: View): PortAtoms {
  return new PortAtoms(portsOf(view), view.answers.ports, view.outcomes);
}

/** Whether the tables could have more entries: at most one for each column that some rule of a row speaks of. */
function exceeds(view: View, limit: number): boolean {
  let entries = 0;
  for (const { rows, inside } of [...view.layers.egress, ...view.layers.ingress])
    for (const row of rows.rows) {
      let spokenOf = 0;
      for (const { set } of inside.itemsOf(row)) spokenOf += set.members.length;
      entries += Math.min(spokenOf, view.ends.columns);
      if (entries > limit) return true;
    }
  return false;
}

function bordersOf(view: View): number {
  const borders = new Set<number>();
  for (const set of portsOf(view))
    for (const border of view.answers.ports.bordersOf(set)) borders.add(border);
  return borders.size;
}

function portsOf(view: View): ReadonlySet<PortSetId> {
  const sets = new Set<PortSetId>();
  for (const { rows, inside } of [...view.layers.egress, ...view.layers.ingress])
    for (const row of rows.rows) for (const { ports } of inside.itemsOf(row)) sets.add(ports);
  return sets;
}
