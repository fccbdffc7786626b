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
import type { Layer, Nearness } from "./layer.js";
import { type OutcomeId, silent, uncertain } from "./outcomes.js";
import { OutsideAnswers } from "./outside-runs.js";
import { talksOutside, WholeRows } from "./policy-changes.js";
import { canTalk } from "./talking.js";
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
  const others = view.ends.classes.filter((end) => sizeOf(end) > 0);
  for (const [i, move] of moves.entries()) {
    const isAsBefore = move.from === move.to;
    for (const direction of ["egress", "ingress"] as const) {
      const side = direction === "egress" ? "from" : "to";
      const changes = new ChangesOf(justThese([move.after]), side, view.family, view.answers);
      const pairs = isAsBefore ? undefined : new MovedPairs(view, direction, move);
      for (const other of others) {
        if (!talks(view, move, other, other)) continue;
        if (other.kind === "host") hostChanges(view, direction, move, other, changes);
        else if (other.pods.some((pod) => !moved.has(pod)))
          pairs?.addChange(other, changes, () => classWithout(other, moved));
      }
      const { family } = view;
      if (
        family !== undefined &&
        !isAsBefore &&
        talksOutside(family, move.from) &&
        talksOutside(family, move.to)
      ) {
        const outside = new OutsideAnswers(view, family);
        addOutside(changes, outside.of(direction, move.from), outside.of(direction, move.to));
      }
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
  canTalk(family, from.families, before.families) && canTalk(family, to.families, after.families);

/** The pairs of a moved pod with others, in one direction, as they were and as they are. */
class MovedPairs {
  private readonly own: { readonly before: Uint32Array; readonly after: Uint32Array };
  /** What the others' rows say to the pod's column, layer by layer and row by row, as far as somebody asked. */
  private readonly said: readonly { readonly before: Float64Array; readonly after: Float64Array }[];

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
    private readonly move: Move,
  ) {
    const rows = new WholeRows(view, direction);
    this.own = { before: rows.of(move.from), after: rows.of(move.to) };
    const unknown = ({ rows: { rows } }: Layer) => new Float64Array(rows.length).fill(notAsked);
    this.said = view.layers[oppositeOf(direction)].map((layer) => ({
      before: unknown(layer),
      after: unknown(layer),
    }));
  }

  addChange(other: EndClass, changes: ChangesOf, end: () => End): void {
    const was = this.own.before[other.column]!;
    const is = this.own.after[other.column]!;
    const theyWere = this.theirs("before", other);
    const theyAre = this.theirs("after", other);
    if (was === uncertain || is === uncertain || theyWere === uncertain || theyAre === uncertain)
      changes.add(this.pair(this.move.from, other), this.pair(this.move.to, other), end);
    else if (was !== is || theyWere !== theyAre)
      changes.add(this.both(was, theyWere), this.both(is, theyAre), end);
  }

  private theirs(when: "before" | "after", other: EndClass): OutcomeId {
    const { view, direction, move } = this;
    const { column } = when === "before" ? move.from : move.to;
    const layers = view.layers[oppositeOf(direction)];
    let all = silent;
    for (let i = 0; i < layers.length; i++) {
      const { rows, inside } = layers[i]!;
      const row = rows.rowOf[other.index]!;
      const said = this.said[i]![when];
      if (said[row] === notAsked) said[row] = inside.at(row, column);
      all = view.outcomes.compose(all, said[row]!);
    }
    return all;
  }

  private both(a: OutcomeId, b: OutcomeId): AnswerId {
    const { view } = this;
    return view.answers.ports.intersect(view.answerOf(a), view.answerOf(b));
  }

  private pair(own: EndClass, other: EndClass): AnswerId {
    return this.direction === "egress" ? this.view.pairAnswer(own, other) : this.view.pairAnswer(other, own);
  }
}

const notAsked = -1;

const oppositeOf = (direction: Direction): Direction => (direction === "egress" ? "ingress" : "egress");

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
