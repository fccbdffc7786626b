import type { Pod } from "../cluster/model.js";
import type { Direction } from "../policy/model.js";
import type { AnswerId } from "./answers.js";
import type { ChangesOf, End } from "./changed-pairs.js";
import type { EndClass } from "./ends.js";
import type { Layer } from "./layer.js";
import { marked } from "./marks.js";
import { type OutcomeId, silent, uncertain } from "./outcomes.js";
import { differingColumns, WholeRows } from "./policy-changes.js";
import type { Told } from "./tier-table.js";
import type { View } from "./view.js";

/** A pod that was of one class and is of another now, or runs elsewhere. */
export interface Move {
  readonly before: Pod;
  readonly after: Pod;
  readonly from: EndClass;
  readonly to: EndClass;
}

/** A moved pod as it was and as it is, in one direction, held against others. */
export class MoveComparison {
  /** Whether its own policies are others now. */
  readonly differsInOwn: boolean;
  private readonly ownLayers: readonly Layer[];
  private readonly theirLayers: readonly Layer[];
  /** By layer and row, what others say to it that they did not; undefined where all may say something else. */
  private readonly telling: readonly (ReadonlyMap<number, Told> | undefined)[];
  /** What its own policies said and say, where they are other ones for many. */
  private own: { readonly was: Uint32Array; readonly is: Uint32Array } | undefined;

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
    private readonly move: Move,
    /** The sets that tell it from what it was, where labels are all that is different. */
    unlike: ReadonlySet<number> | undefined,
  ) {
    const { from, to } = move;
    this.ownLayers = view.layers[direction];
    this.theirLayers = view.layers[direction === "egress" ? "ingress" : "egress"];
    this.differsInOwn = this.ownLayers.some(({ rows: { rowOf } }) => rowOf[from.index] !== rowOf[to.index]);
    this.telling = this.theirLayers.map(
      ({ inside }) => unlike && inside.rowsTelling(from.column, to.column, unlike),
    );
  }

  /** With the pods of other classes: those that `meets` lets pass. */
  withPods(changes: ChangesOf, meets: (other: EndClass) => boolean, endOf: (other: EndClass) => End): void {
    for (const index of this.podClasses()) {
      // Of most others nothing has changed, and their rows tell: the classes themselves are seldom looked at.
      const theirs = this.theirs(index);
      const isSameOfTheirs = theirs.was === theirs.is && theirs.is !== uncertain;
      if (!this.differsInOwn && isSameOfTheirs) continue;
      const other = this.view.ends.classes[index]!;
      const ours = this.ours(other);
      const isSameOfOurs = ours.was === ours.is && ours.is !== uncertain;
      if ((isSameOfOurs && isSameOfTheirs) || !meets(other)) continue;
      const end = () => endOf(other);
      if ([ours.was, ours.is, theirs.was, theirs.is].includes(uncertain))
        changes.add(this.pairAnswer(this.move.from, other), this.pairAnswer(this.move.to, other), end);
      else changes.add(this.both(ours.was, theirs.was), this.both(ours.is, theirs.is), end);
    }
  }

  /** Of hosts only what is said to them can change, and how far away they are. */
  hosts(): readonly EndClass[] {
    const { classes, hostClasses } = this.view.ends;
    return this.differsInOwn || this.isElsewhere ? hostClasses.map((index) => classes[index]!) : [];
  }

  /** The classes of pods, by index, with which something may be another way now. */
  private podClasses(): Iterable<number> {
    const { classes, classOfColumn, podClasses, hostClasses } = this.view.ends;
    const ofOwn = this.ownColumns();
    if (this.telling.includes(undefined)) return podClasses;
    if (ofOwn.length === 0 && this.telling.every((rows) => rows?.size === 0)) return [];
    const isOne = new Uint8Array(classes.length);
    for (const column of ofOwn) isOne[classOfColumn[column]!] = 1;
    for (const index of hostClasses) isOne[index] = 0;
    for (const [i, { rows }] of this.theirLayers.entries()) {
      if (this.telling[i]!.size === 0) continue;
      const isTelling = new Uint8Array(rows.rows.length);
      for (const row of this.telling[i]!.keys()) isTelling[row] = 1;
      for (const index of podClasses) if (isTelling[rows.rowOf[index]!] === 1) isOne[index] = 1;
    }
    return marked(isOne);
  }

  private get isElsewhere(): boolean {
    return this.move.before.node !== this.move.after.node;
  }

  /** The columns to which its own policies may say something else than they did. */
  private ownColumns(): readonly number[] {
    if (!this.differsInOwn) return [];
    const { from, to } = this.move;
    const few = differingColumns(this.ownLayers, this.ownLayers, from, to);
    if (few !== undefined) return few;
    const rows = new WholeRows(this.view, this.direction);
    const [was, is] = [rows.of(from), rows.of(to)];
    this.own = { was, is };
    const found: number[] = [];
    for (let column = 0; column < is.length; column++)
      if (was[column] !== is[column] || is[column] === uncertain) found.push(column);
    return found;
  }

  private pairAnswer(own: EndClass, other: EndClass): AnswerId {
    return this.direction === "egress" ? this.view.pairAnswer(own, other) : this.view.pairAnswer(other, own);
  }

  private ours({ column }: EndClass): Told {
    const { view, direction, move, own } = this;
    if (own !== undefined) return { was: own.was[column]!, is: own.is[column]! };
    const was = view.outcomeAt(direction, move.from, column);
    return { was, is: this.differsInOwn ? view.outcomeAt(direction, move.to, column) : was };
  }

  private theirs(index: number): Told {
    const { outcomes } = this.view;
    const { from, to } = this.move;
    let [was, is] = [silent, silent];
    for (let i = 0; i < this.theirLayers.length; i++) {
      const { rows, inside } = this.theirLayers[i]!;
      const row = rows.rowOf[index]!;
      const telling = this.telling[i];
      const told = telling?.get(row);
      const saidBefore = told?.was ?? inside.at(row, from.column);
      const saidNow = told?.is ?? (telling === undefined ? inside.at(row, to.column) : saidBefore);
      was = outcomes.compose(was, saidBefore);
      is = outcomes.compose(is, saidNow);
      if (outcomes.isFinal[was] === 1 && outcomes.isFinal[is] === 1) break;
    }
    return { was, is };
  }

  private both(a: OutcomeId, b: OutcomeId): AnswerId {
    const { view } = this;
    return view.answers.ports.intersect(view.answerOf(a), view.answerOf(b));
  }
}
