import type { Direction } from "../../policy/model.js";
import type { EndClass } from "../classes/ends.js";
import type { Layer } from "../compile/layer.js";
import { isSettled, silent } from "./outcomes.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import type { View } from "../compile/view.js";

/** Receives the outcome for the ports, column by column. */
export interface WalkedColumns {
  /** What a tier decides of the ports that were open when its turn came; one of the two is not empty. */
  readonly decided: (layer: Layer, column: number, allowed: PortSetId, denied: PortSetId) => void;
  /** From this tier on, the outcome depends on missing facts (S9.1) or on foreign objects (S9.3). */
  readonly uncertain: (layer: Layer, column: number, open: PortSetId) => void;
  /** What no tier decides (S1.3). */
  readonly rest: (column: number, open: PortSetId) => void;
}

/**
 * Walks the tiers of one direction for one class of pods, against all columns at once: what `Deciders` says about a single
 * pair, but with tiers instead of rules, and quickly enough for all pairs of thousands of pods.
 */
export class ColumnWalk {
  /** What a row says to all columns of a table; undefined where few are asked about. */
  private readonly said: Uint32Array | undefined;
  private readonly open: Uint32Array;

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
    /** Among pods and hosts, or external addresses. */
    private readonly space: "inside" | "outside",
    private readonly columns: readonly number[],
  ) {
    const widths = view.layers[direction].map((layer) => layer[space].layout.columns);
    const widest = Math.max(0, ...widths);
    this.said = columns.length * few < widest ? undefined : new Uint32Array(widest);
    this.open = new Uint32Array(columns.length);
  }

  of(subject: EndClass, wanted: PortSetId, walked: WalkedColumns): void {
    const { open, said, columns } = this;
    const { outcomes } = this.view;
    const { ports, allows, denies } = outcomes;
    open.fill(wanted);
    for (const layer of this.view.layers[this.direction]) {
      const table = layer[this.space];
      const row = layer.rows.rowOf[subject.index]!;
      if (said !== undefined) table.read(row, said);
      const { columnOf } = table.layout;
      for (let i = 0; i < columns.length; i++) {
        const left = open[i]!;
        if (left === noPorts) continue;
        const column = columns[i]!;
        const outcome = said === undefined ? table.at(row, column) : said[columnOf[column]!]!;
        if (outcome === silent) continue;
        if (!isSettled(outcome)) {
          walked.uncertain(layer, column, left);
          open[i] = noPorts;
          continue;
        }
        const allowed = ports.intersect(left, allows[outcome]!);
        const denied = ports.intersect(left, denies[outcome]!);
        if (allowed === noPorts && denied === noPorts) continue;
        walked.decided(layer, column, allowed, denied);
        open[i] = ports.subtract(ports.subtract(left, allowed), denied);
      }
    }
    for (let i = 0; i < columns.length; i++) if (open[i] !== noPorts) walked.rest(columns[i]!, open[i]!);
  }
}

/** Less than one in so many columns is looked up by itself. */
const few = 16;
