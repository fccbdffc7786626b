import type { Direction } from "../../policy/model.js";
import type { EndClass } from "../classes/ends.js";
import { composeAll, type OutcomeId, silent } from "../walk/outcomes.js";
import type { View } from "./view.js";

/** What all tiers of a direction say together, for whole rows; classes with the same rules share one. */
export class OutcomeRows {
  private readonly known = new Map<string, Uint32Array>();
  private readonly bySubject: (Uint32Array | undefined)[] = [];

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
  ) {}

  at(subject: EndClass, column: number): OutcomeId {
    return this.of(subject)[column]!;
  }

  /** By column of the view. */
  of(subject: EndClass): Uint32Array {
    return (this.bySubject[subject.index] ??= this.find(subject));
  }

  private find(subject: EndClass): Uint32Array {
    const rows = this.view.layers[this.direction].map(({ rows }) => rows.rowOf[subject.index]!);
    const key = rows.join();
    const found = this.known.get(key) ?? this.read(rows);
    this.known.set(key, found);
    return found;
  }

  private read(rows: readonly number[]): Uint32Array {
    const { outcomes, ends, layers } = this.view;
    const all = new Uint32Array(ends.columns).fill(silent);
    for (const [i, { inside }] of layers[this.direction].entries()) {
      const said = new Uint32Array(inside.layout.columns);
      inside.read(rows[i]!, said);
      composeAll(outcomes, all, said, inside.layout.columnOf);
    }
    return all;
  }
}

/** The same for one column of all rows: what each pod's policies say about one other end. */
export class OutcomeColumn {
  /** By layer and row; 0 where it was not asked for, or one more than the outcome. */
  private readonly said: readonly Uint32Array[];

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
    private readonly column: number,
  ) {
    this.said = view.layers[direction].map(({ rows }) => new Uint32Array(rows.rows.length));
  }

  of(subject: EndClass): OutcomeId {
    const { outcomes } = this.view;
    const layers = this.view.layers[this.direction];
    let all = silent;
    for (let i = 0; i < layers.length && outcomes.isFinal[all] === 0; i++) {
      const { rows, inside } = layers[i]!;
      const row = rows.rowOf[subject.index]!;
      const known = this.said[i]!;
      if (known[row] === 0) known[row] = inside.at(row, this.column) + 1;
      all = outcomes.compose(all, known[row]! - 1);
    }
    return all;
  }
}
