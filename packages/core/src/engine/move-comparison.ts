import type { Pod } from "../cluster/model.js";
import type { Direction } from "../policy/model.js";
import type { AnswerId } from "./answers.js";
import type { ChangesOf, End } from "./changed-pairs.js";
import type { EndClass } from "./ends.js";
import type { Layer } from "./layer.js";
import { marked } from "./marks.js";
import { type OutcomeId, silent, uncertain } from "./outcomes.js";
import { everyPort } from "./port-sets.js";
import { differingColumns, WholeRows } from "./policy-changes.js";
import type { TierReach } from "./tier-reach.js";
import type { Told } from "./tier-table.js";
import type { View } from "./view.js";

/** A pod that was of one class and is of another now, or runs elsewhere. */
export interface Move {
  readonly before: Pod;
  readonly after: Pod;
  readonly from: EndClass;
  readonly to: EndClass;
}

/** By column, what the own policies of a pod said and say. */
interface Own {
  readonly was: Uint32Array;
  readonly is: Uint32Array;
}

/** So many others are asked about one by one. */
const few = 256;

/** A moved pod as it was and as it is, in one direction, held against others. */
export class MoveComparison {
  /** Whether its own policies say something else now, as far as they get. */
  readonly differsInOwn: boolean;
  private readonly ownLayers: readonly Layer[];
  private readonly theirLayers: readonly Layer[];
  private readonly theirReach: TierReach;
  /** By layer and row, what others say to it that they did not; undefined where all may say something else. */
  private readonly telling: readonly (ReadonlyMap<number, Told> | undefined)[];
  /** Where many are asked about. */
  private own: Own | undefined;

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
    const theirs = view.reach(other);
    this.theirReach = theirs;
    const depth = Math.max(own.depthOf(from.index), own.depthOf(to.index));
    this.ownLayers = view.layers[direction].slice(0, depth);
    this.theirLayers = view.layers[other];
    this.differsInOwn = this.ownLayers.some(({ rows: { rowOf } }) => rowOf[from.index] !== rowOf[to.index]);
    this.telling = this.theirLayers.map(
      ({ inside }, i) =>
        unlike && inside.rowsTelling(from.column, to.column, unlike, (row) => theirs.reaches(i, row)),
    );
  }

  /** With the pods of other classes: those that `meets` lets pass. */
  withPods(changes: ChangesOf, meets: (other: EndClass) => boolean, endOf: (other: EndClass) => End): void {
    const candidates = this.podClasses();
    if (candidates.length > few) this.own ??= this.wholeOwn();
    const { classes } = this.view.ends;
    for (let i = 0; i < candidates.length; i++) {
      const index = candidates[i]!;
      const other = classes[index]!;
      if (this.own !== undefined && this.refuses(this.own, other)) continue;
      const theirs = this.theirs(index);
      const isSameOfTheirs = theirs.was === theirs.is && theirs.is !== uncertain;
      if (!this.differsInOwn && isSameOfTheirs) continue;
      const ours = this.ours(other);
      const isSameOfOurs = ours.was === ours.is && ours.is !== uncertain;
      if (isSameOfOurs && isSameOfTheirs) continue;
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

  /** The classes of pods, by index, with which something may be another way now. */
  private podClasses(): ArrayLike<number> {
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
      for (const index of podClasses)
        if (isTelling[rows.rowOf[index]!] === 1 && this.theirReach.depthOf(index) > i) isOne[index] = 1;
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
    this.own = this.wholeOwn();
    const { was, is } = this.own;
    const found: number[] = [];
    for (let column = 0; column < is.length; column++)
      if (was[column] !== is[column] || is[column] === uncertain) found.push(column);
    return found;
  }

  private wholeOwn(): Own {
    const rows = new WholeRows(this.view, this.direction);
    return { was: rows.of(this.move.from), is: rows.of(this.move.to) };
  }

  /** What its own policies refuse anyway, and did, has not changed. */
  private refuses({ was, is }: Own, { column }: EndClass): boolean {
    const { denies } = this.view.outcomes;
    return denies[was[column]!] === everyPort && denies[is[column]!] === everyPort;
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

const isKnown = ({ was, is }: Told): boolean => was !== uncertain && is !== uncertain;
