import type { Pod } from "../cluster/model.js";
import type { Direction } from "../policy/model.js";
import type { AnswerId } from "./answers.js";
import type { ChangesOf, End } from "./changed-pairs.js";
import type { EndClass } from "./ends.js";
import type { Layer } from "./layer.js";
import { marked } from "./marks.js";
import { type OutcomeId, silent, uncertain } from "./outcomes.js";
import { everyPort } from "./port-sets.js";
import { SpreadRows } from "./spread-rows.js";
import type { TierReach } from "./tier-reach.js";
import type { ToldRows } from "./told-rows.js";
import type { View } from "./view.js";

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
    const { classes } = this.view.ends;
    const own = this.own();
    const candidates = this.podClasses(own);
    for (let i = 0; i < candidates.length; i++) {
      const index = candidates[i]!;
      const other = classes[index]!;
      const ours = this.ours(own, other);
      if (this.refuses(ours)) continue;
      const theirs = this.theirs(index);
      const isSameOfTheirs = theirs.was === theirs.is && theirs.is !== uncertain;
      if (!this.differsInOwn && isSameOfTheirs) continue;
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

  private get mayDiffer(): boolean {
    return this.differsInOwn || this.telling.some((rows) => rows?.size !== 0);
  }

  /** The classes of pods, by index, with which something may be another way now. */
  private podClasses(own: Own): ArrayLike<number> {
    const { classes, classOfColumn, podClasses, hostClasses } = this.view.ends;
    if (this.telling.includes(undefined)) return podClasses;
    const isOne = new Uint8Array(classes.length);
    if (this.differsInOwn) {
      const isUnlike = own.was.unlike(own.is, classOfColumn.length);
      for (let column = 0; column < isUnlike.length; column++)
        if (isUnlike[column] === 1) isOne[classOfColumn[column]!] = 1;
      for (const index of hostClasses) isOne[index] = 0;
    }
    for (const [i, { rows }] of this.theirLayers.entries()) {
      const telling = this.telling[i]!;
      if (telling.size === 0) continue;
      for (const index of podClasses)
        if (telling.has(rows.rowOf[index]!) && this.theirReach.depthOf(index) > i) isOne[index] = 1;
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
  private refuses({ was, is }: Told): boolean {
    const { denies } = this.view.outcomes;
    return denies[was] === everyPort && denies[is] === everyPort;
  }

  private pairAnswer(own: EndClass, other: EndClass): AnswerId {
    return this.direction === "egress" ? this.view.pairAnswer(own, other) : this.view.pairAnswer(other, own);
  }

  private ours(own: Own, { column }: EndClass): Told {
    const was = own.was.at(column);
    return { was, is: this.differsInOwn ? own.is.at(column) : was };
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

const isKnown = ({ was, is }: Told): boolean => was !== uncertain && is !== uncertain;
