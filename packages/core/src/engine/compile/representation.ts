import type { View } from "./view.js";

/**
 * How all pairs are found. `tables`: the outcome of each tier is computed once for all classes that it treats alike,
 * and kept. `streamed`: only the current row is kept, for clusters in which nearly all pods differ.
 */
export type Representation = "tables" | "streamed";

/** Entries of tables beyond which walking the rules of every pod again costs less. */
const mostEntries = 50_000_000;

/** By the entries that the tables could have: at most one for each column that some rule of a row mentions. */
export function representationFor(view: View, most = mostEntries): Representation {
  let entries = 0;
  for (const direction of ["egress", "ingress"] as const)
    for (const [i, { rows, inside }] of view.layers[direction].entries())
      for (const row of view.reach(direction).rowsAt(i)) {
        let mentioned = 0;
        for (const { set } of inside.itemsOf(rows.rows[row]!)) mentioned += set.members.length;
        entries += Math.min(mentioned, view.ends.columns);
        if (entries > most) return "streamed";
      }
  return "tables";
}
