import type { Direction } from "../../policy/model.js";
import type { EndClass } from "../classes/ends.js";
import { composeAll, type OutcomeId } from "./outcomes.js";
import type { View } from "./view.js";

/**
 * What `View.outcomeAt` says of pods to columns, for whoever asks about all pairs: each row is read once as a whole, when
 * somebody first asks.
 */
export class OutcomeRows {
  private readonly rows: (Uint32Array | undefined)[] = [];
  private readonly said: Uint32Array;

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
  ) {
    const widths = view.layers[direction].map(({ inside }) => inside.layout.columns);
    this.said = new Uint32Array(Math.max(0, ...widths));
  }

  at(subject: EndClass, column: number): OutcomeId {
    return (this.rows[subject.index] ??= this.read(subject))[column]!;
  }

  private read(subject: EndClass): Uint32Array {
    const all = new Uint32Array(this.view.ends.classOfColumn.length);
    for (const { rows, inside } of this.view.layers[this.direction]) {
      inside.read(rows.rowOf[subject.index]!, this.said);
      composeAll(this.view.outcomes, all, this.said, inside.layout.columnOf);
    }
    return all;
  }
}
