import { contentOf, type EndGroup, type GroupLayer, tupleNumbers } from "./end-groups.js";
import type { OutcomeAnswers } from "./outcome-answers.js";
import { composeAll, silent } from "../walk/outcomes.js";
import { noPorts } from "../../sets/port-sets.js";
import { type Egress, type EgressSource, type GroupsByNumber, groupsByNumber } from "./pod-sweep.js";
import { readRow } from "../walk/table-walk.js";
import type { View } from "../compile/view.js";

/**
 * The answers of the policies of sources for destinations. Destinations with equal columns in all tiers share their
 * answers, and so do sources with equal rows: the few distinct answers are kept.
 */
export class EgressAnswers implements EgressSource {
  /** By destination, its number in the answers. */
  readonly at: Uint32Array;
  private readonly rowsOf: ReadonlyMap<EndGroup, number>;
  private readonly known = new Map<number, Egress>();
  private kept = 0;
  private readonly columns: readonly Uint32Array[];
  private readonly width: number;
  private readonly destinations: GroupsByNumber;
  private readonly found: Uint32Array;
  private readonly rowBuffer: Uint32Array;

  constructor(
    private readonly view: View,
    private readonly layers: readonly GroupLayer[],
    pods: readonly EndGroup[],
    private readonly answers: OutcomeAnswers,
  ) {
    const columns = tupleNumbers(pods, (group) => layers.map((layer) => columnContentOf(layer, group)));
    this.at = columns.numbers;
    this.found = new Uint32Array(pods.length);
    this.width = columns.firsts.length;
    this.destinations = groupsByNumber(this.at);
    this.rowBuffer = new Uint32Array(Math.max(0, ...layers.map(({ layer }) => layer.inside.layout.columns)));
    this.columns = layers.map(({ layer }) => {
      const { columnOf } = layer.inside.layout;
      return Uint32Array.from(columns.firsts, ({ classes }) => columnOf[classes[0]!.column]!);
    });
    const rows = tupleNumbers(pods, (group) => layers.map((layer) => contentOf(layer, group)));
    this.rowsOf = new Map(pods.map((group, i) => [group, rows.numbers[i]!]));
  }

  /** The number of the rows of a source. */
  numberOf(source: EndGroup): number {
    return this.rowsOf.get(source)!;
  }

  for(source: EndGroup): Egress {
    const rows = this.rowsOf.get(source)!;
    const known = this.known.get(rows);
    if (known !== undefined) return known;
    const answers = this.compute(source);
    const made = { answers, open: this.openAmong(answers) };
    this.kept += made.answers.length + made.open.length;
    if (this.kept < mostKept) this.known.set(rows, made);
    return made;
  }

  private openAmong(answers: Uint32Array): Uint32Array {
    const { found } = this;
    const { groups, firsts } = this.destinations;
    let count = 0;
    for (let number = 0; number < answers.length; number++) {
      if (answers[number] === noPorts) continue;
      for (let at = firsts[number]!; at < firsts[number + 1]!; at++) found[count++] = groups[at]!;
    }
    return found.slice(0, count);
  }

  private compute(source: EndGroup): Uint32Array {
    const all = new Uint32Array(this.width).fill(silent);
    const subject = source.classes[0]!;
    for (const [i, { layer, isReachedBy }] of this.layers.entries()) {
      if (!isReachedBy(subject)) break;
      const values = layer.inside.values(layer.rows.rowOf[subject.index]!);
      if (values.base === silent && values.columns.length === 0) continue;
      readRow(values, this.rowBuffer);
      composeAll(this.view.outcomes, all, this.rowBuffer, this.columns[i]);
    }
    this.answers.read(all, all);
    return all;
  }
}

/** Answers beyond which it is better to find them again. */
const mostKept = 1 << 24;

/** Columns that are uncertain about something are like no other, and have a number of their own. */
function columnContentOf({ layer, transposed }: GroupLayer, { classes }: EndGroup): number {
  return transposed.columnContentOf[layer.inside.layout.columnOf[classes[0]!.column]!]!;
}
