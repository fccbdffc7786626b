import type { Pod } from "../../cluster/model.js";
import type { Direction } from "../../policy/model.js";
import type { AnswerId } from "../compile/answers.js";
import type { ChangesOf, End } from "./changed-pairs.js";
import type { EndClass } from "../classes/ends.js";
import type { Layer } from "../compile/layer.js";
import { marked } from "../../sets/marks.js";
import { isSettled, type OutcomeId, silent, uncertain } from "../compile/outcomes.js";
import { everyPort } from "../../sets/port-sets.js";
import { SpreadRows } from "./spread-rows.js";
import type { TierReach } from "../compile/tier-reach.js";
import type { ToldRows } from "../compile/told-rows.js";
import type { View } from "../compile/view.js";

/** A pod that was of one class and is of another now, or runs elsewhere. */
export interface Move {
  readonly before: Pod;
  readonly after: Pod;
  readonly from: EndClass;
  readonly to: EndClass;
}

/** What the own policies of a pod said and say. */
interface Own {
  readonly was: SpreadRows;
  readonly is: SpreadRows;
}

/** A moved pod as it was and as it is, in one direction, held against others. */
export class MoveComparison {
  /** Whether its own policies say something else now, as far as they get. */
  readonly differsInOwn: boolean;
  private readonly ownLayers: readonly Layer[];
  private readonly theirLayers: readonly Layer[];
  private readonly theirReach: TierReach;
  /** By layer, whose rows may say something else to it than they did; undefined where all may. */
  private readonly telling: readonly (ToldRows | undefined)[];

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
    private readonly move: Move,
    /** The sets that tell it from what it was, where labels are all that is different. */
    unlike: ReadonlySet<number> | undefined,
  ) {
    const { from, to } = move;
    const other = direction === "egress" ? "ingress" : "egress";
    const own = view.reach(direction);
    this.theirReach = view.reach(other);
    const depth = Math.max(own.depthOf(from.index), own.depthOf(to.index));
    this.ownLayers = view.layers[direction].slice(0, depth);
    this.theirLayers = view.layers[other];
    this.differsInOwn = this.ownLayers.some(({ rows: { rowOf } }) => rowOf[from.index] !== rowOf[to.index]);
    this.telling = this.theirLayers.map(
      ({ inside }) => unlike && inside.rowsTelling(from.column, to.column, unlike),
    );
  }

  /** With the pods of other classes: those that `meets` lets pass. */
  withPods(changes: ChangesOf, meets: (other: EndClass) => boolean, endOf: (other: EndClass) => End): void {
    if (!this.mayDiffer) return;
    const { classes, classOfColumn } = this.view.ends;
    const own = this.own();
    const columns = this.podColumns(own);
    const oursWas = own.was.toAll(columns);
    const oursIs = this.differsInOwn ? own.is.toAll(columns) : oursWas;
    for (const i of this.notRefused(oursWas, oursIs)) {
      const index = classOfColumn[columns[i]!]!;
      const ours = { was: oursWas[i]!, is: oursIs[i]! };
      // Of what is said to all whom a policy binds, the first who asks finds out whether it is something else now.
      if (isSame(ours) && !this.mayTell(index)) continue;
      const theirs = this.theirs(index);
      if (isSame(ours) && isSame(theirs)) continue;
      const other = classes[index]!;
      const isCertain = isKnown(ours) && isKnown(theirs);
      if (!isCertain && !meets(other)) continue;
      const was = isCertain ? this.both(ours.was, theirs.was) : this.pairAnswer(this.move.from, other);
      const is = isCertain ? this.both(ours.is, theirs.is) : this.pairAnswer(this.move.to, other);
      if (was !== is && meets(other)) changes.add(was, is, () => endOf(other));
    }
  }

  /** Of hosts only what is said to them can change, and how far away they are. */
  hosts(): readonly EndClass[] {
    const { classes, hostClasses } = this.view.ends;
    return this.differsInOwn || this.isElsewhere ? hostClasses.map((index) => classes[index]!) : [];
  }

  private get mayDiffer(): boolean {
    return this.differsInOwn || this.telling.some((rows) => rows?.size !== 0);
  }

  /** The columns of pods with which something may be another way now. */
  private podColumns(own: Own): Uint32Array {
    const { classes, classOfColumn, podClasses, hostClasses } = this.view.ends;
    if (this.telling.includes(undefined))
      return Uint32Array.from(podClasses, (index) => classes[index]!.column);
    const columns = classOfColumn.length;
    const isOne = this.differsInOwn ? own.was.unlike(own.is, columns) : new Uint8Array(columns);
    for (const index of hostClasses) {
      const { column, ownColumn } = classes[index]!;
      isOne[column] = isOne[ownColumn] = 0;
    }
    for (const [i, { rows }] of this.theirLayers.entries()) {
      const telling = this.telling[i]!;
      if (telling.size === 0) continue;
      for (let column = 0; column < columns; column++) {
        const index = classOfColumn[column]!;
        if (telling.has(rows.rowOf[index]!) && this.theirReach.depthOf(index) > i) isOne[column] = 1;
      }
    }
    return marked(isOne);
  }

  private get isElsewhere(): boolean {
    return this.move.before.node !== this.move.after.node;
  }

  private own(): Own {
    const { outcomes } = this.view;
    const was = new SpreadRows(outcomes, this.ownLayers, this.move.from);
    return { was, is: this.differsInOwn ? new SpreadRows(outcomes, this.ownLayers, this.move.to) : was };
  }

  /** What its own policies refuse anyway, and did, has not changed. */
  private notRefused(was: Uint32Array, is: Uint32Array): Uint32Array {
    const { denies } = this.view.outcomes;
    const left = new Uint32Array(was.length);
    let count = 0;
    for (let i = 0; i < was.length; i++)
      if (denies[was[i]!] !== everyPort || denies[is[i]!] !== everyPort) left[count++] = i;
    return left.subarray(0, count);
  }

  private pairAnswer(own: EndClass, other: EndClass): AnswerId {
    return this.direction === "egress" ? this.view.pairAnswer(own, other) : this.view.pairAnswer(other, own);
  }

  /** Whether some row of a class says something else to it than it did, or may. */
  private mayTell(index: number): boolean {
    const depth = this.theirReach.depthOf(index);
    for (let i = 0; i < depth; i++) {
      const row = this.theirLayers[i]!.rows.rowOf[index]!;
      const telling = this.telling[i];
      if (telling === undefined || (telling.has(row) && telling.isAnother(row))) return true;
    }
    return false;
  }

  private theirs(index: number): Told {
    const { outcomes } = this.view;
    const { from, to } = this.move;
    let [was, is] = [silent, silent];
    for (let i = 0; i < this.theirLayers.length; i++) {
      const { rows, inside } = this.theirLayers[i]!;
      const row = rows.rowOf[index]!;
      const telling = this.telling[i];
      const isTelling = telling?.has(row) ?? false;
      const said = isTelling ? telling!.was(row) : inside.at(row, from.column);
      was = outcomes.compose(was, said);
      if (isTelling) is = outcomes.compose(is, telling!.is(row));
      else is = outcomes.compose(is, telling === undefined ? inside.at(row, to.column) : said);
      if (outcomes.isFinal[was] === 1 && outcomes.isFinal[is] === 1) break;
    }
    return { was, is };
  }

  private both(a: OutcomeId, b: OutcomeId): AnswerId {
    const { view } = this;
    return view.answers.ports.intersect(view.answerOf(a), view.answerOf(b));
  }
}

/** What is said to an end, or by it, as it was and as it is. */
interface Told {
  readonly was: OutcomeId;
  readonly is: OutcomeId;
}

const isSame = ({ was, is }: Told): boolean => was === is && is !== uncertain;

const isKnown = ({ was, is }: Told): boolean => isSettled(was) && isSettled(is);
