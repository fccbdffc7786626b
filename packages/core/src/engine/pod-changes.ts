import type { Pod } from "../cluster/model.js";
import type { Direction } from "../policy/model.js";
import type { AnswerId } from "./answers.js";
import {
  addOutside,
  type ChangedPairs,
  ChangesOf,
  classWithout,
  type End,
  justThese,
  nearnessOf,
} from "./changed-pairs.js";
import { type EndClass, type Member, sizeOf } from "./ends.js";
import type { Nearness } from "./layer.js";
import { type OutcomeId, uncertain } from "./outcomes.js";
import { OutsideAnswers } from "./outside-runs.js";
import { talksOutside, WholeRows } from "./policy-changes.js";
import { canCompare } from "./talking.js";
import type { View } from "./view.js";

/** A pod that was of one class and is of another now, or runs elsewhere. */
export interface Move {
  readonly before: Pod;
  readonly after: Pod;
  readonly from: EndClass;
  readonly to: EndClass;
}

/** What changes under the same policies when pods change. */
export function* changesOfPods(view: View, moves: readonly Move[]): Iterable<ChangedPairs> {
  const moved = new Set(moves.map(({ after }) => after));
  for (const [i, move] of moves.entries()) {
    const unlike = move.from === move.to ? new Set<number>() : view.unlike(move.from, move.to);
    const talking = new Talking(view, move);
    for (const direction of ["egress", "ingress"] as const) {
      const side = direction === "egress" ? "from" : "to";
      const changes = new ChangesOf(justThese([move.after]), side, view.family, view.answers);
      const comparison = new MoveComparison(view, direction, move, unlike);
      if (comparison.mayDiffer)
        for (const other of view.ends.classes)
          if (comparison.mayDifferFrom(other) && talking.with(other))
            if (other.kind === "host") hostChanges(view, direction, move, other, changes);
            else if (other.pods.length > moves.length || other.pods.some((pod) => !moved.has(pod)))
              comparison.withPod(other, changes, () => classWithout(other, moved));
      if (comparison.differsInOwn) outsideChanges(view, direction, move, changes);
      // Pairs of two pods that both changed are looked at from the source, one by one.
      if (direction === "egress")
        for (const [j, { after, from, to }] of moves.entries())
          if (i !== j && talks(view, move, from, to))
            changes.add(view.pairAnswer(move.from, from), view.pairAnswer(move.to, to), () =>
              justThese([after]),
            );
      yield* changes.all();
    }
  }
}

const talks = ({ family }: View, { from, to }: Move, before: EndClass, after: EndClass): boolean =>
  canCompare(family, from.families, to.families, before.families, after.families);

/** With whom a moved pod can be compared; most ends have the same families. */
class Talking {
  private readonly known = new Map<number, boolean>();

  constructor(
    private readonly view: View,
    private readonly move: Move,
  ) {}

  with(other: EndClass): boolean {
    const key = other.families.reduce<number>((sum, family) => sum + family, 0);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const found = talks(this.view, this.move, other, other);
    this.known.set(key, found);
    return found;
  }
}

/** A moved pod as it was and as it is, in one direction, held against others. */
class MoveComparison {
  /** Whether its own policies are others now, or it runs on another node. */
  readonly differsInOwn: boolean;
  private readonly isElsewhere: boolean;
  /** Layer by layer, the others' rows that say something else to it than they did; undefined where all may. */
  private readonly telling: readonly (ReadonlySet<number> | undefined)[];
  private readonly own: { readonly before: Uint32Array; readonly after: Uint32Array } | undefined;

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
    private readonly move: Move,
    /** The sets that tell it from what it was, where labels are all that is different. */
    unlike: ReadonlySet<number> | undefined,
  ) {
    const { from, to, before, after } = move;
    this.isElsewhere = before.node !== after.node;
    this.differsInOwn = view.layers[direction].some(
      ({ rows: { rowOf } }) => rowOf[from.index] !== rowOf[to.index],
    );
    this.telling = view.layers[oppositeOf(direction)].map(
      ({ inside }) => unlike && inside.rowsTelling(from.column, to.column, unlike),
    );
    if (!this.differsInOwn) return;
    const rows = new WholeRows(view, direction);
    this.own = { before: rows.of(from), after: rows.of(to) };
  }

  get mayDiffer(): boolean {
    return this.differsInOwn || this.isElsewhere || this.telling.some((rows) => rows?.size !== 0);
  }

  mayDifferFrom(other: EndClass): boolean {
    if (sizeOf(other) === 0) return false;
    if (other.kind === "host") return this.differsInOwn || this.isElsewhere;
    return this.ownDiffers(other) || this.theirsMayDiffer(other);
  }

  private ownDiffers({ column }: EndClass): boolean {
    return (
      this.own !== undefined &&
      (this.own.before[column] !== this.own.after[column] || this.own.after[column] === uncertain)
    );
  }

  private theirsMayDiffer({ index }: EndClass): boolean {
    const layers = this.view.layers[oppositeOf(this.direction)];
    for (let i = 0; i < layers.length; i++) {
      const rows = this.telling[i];
      if (rows === undefined || rows.has(layers[i]!.rows.rowOf[index]!)) return true;
    }
    return false;
  }

  withPod(other: EndClass, changes: ChangesOf, end: () => End): void {
    const { view, direction, move } = this;
    const was = this.ours(move.from, other);
    const is = this.own === undefined ? was : this.ours(move.to, other);
    const theyWere = this.theirs(other, move.from);
    const theyAre = this.theirsMayDiffer(other) ? this.theirs(other, move.to) : theyWere;
    if (was === uncertain || is === uncertain || theyWere === uncertain || theyAre === uncertain) {
      const pair = (own: EndClass) =>
        direction === "egress" ? view.pairAnswer(own, other) : view.pairAnswer(other, own);
      changes.add(pair(move.from), pair(move.to), end);
    } else if (was !== is || theyWere !== theyAre)
      changes.add(this.both(was, theyWere), this.both(is, theyAre), end);
  }

  private ours(own: EndClass, { column }: EndClass): OutcomeId {
    if (this.own !== undefined) return this.own[own === this.move.from ? "before" : "after"][column]!;
    return this.view.outcomeAt(this.direction, own, column);
  }

  private theirs(other: EndClass, { column }: EndClass): OutcomeId {
    return this.view.outcomeAt(oppositeOf(this.direction), other, column);
  }

  private both(a: OutcomeId, b: OutcomeId): AnswerId {
    const { view } = this;
    return view.answers.ports.intersect(view.answerOf(a), view.answerOf(b));
  }
}

const oppositeOf = (direction: Direction): Direction => (direction === "egress" ? "ingress" : "egress");

function outsideChanges(view: View, direction: Direction, { from, to }: Move, changes: ChangesOf): void {
  const { family } = view;
  if (family === undefined || !talksOutside(family, from) || !talksOutside(family, to)) return;
  const outside = new OutsideAnswers(view, family);
  addOutside(changes, outside.of(direction, from), outside.of(direction, to));
}

/** Hosts stand to a pod as its node says, which may have changed as well (S1.6). */
function hostChanges(view: View, direction: Direction, move: Move, host: EndClass, changes: ChangesOf): void {
  const byNearness = new Map<string, { was: Nearness; is: Nearness; members: Member[] }>();
  for (const member of [...host.nodes, ...host.pods]) {
    const was = nearnessOf(move.before, member);
    const is = nearnessOf(move.after, member);
    const known = byNearness.get(`${was} ${is}`);
    if (known === undefined) byNearness.set(`${was} ${is}`, { was, is, members: [member] });
    else known.members.push(member);
  }
  for (const { was, is, members } of byNearness.values())
    changes.add(
      view.answer(direction, move.from, { kind: "host", end: host, nearness: was }),
      view.answer(direction, move.to, { kind: "host", end: host, nearness: is }),
      () => justThese(members),
      is,
    );
}
