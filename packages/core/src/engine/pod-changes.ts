import type { Pod } from "../cluster/model.js";
import type { Direction } from "../policy/model.js";
import {
  addOutside,
  type ChangedPairs,
  ChangesOf,
  classWithout,
  justThese,
  nearnessOf,
} from "./changed-pairs.js";
import { type EndClass, type Member, sizeOf } from "./ends.js";
import type { Nearness } from "./layer.js";
import { type OutcomeId, uncertain } from "./outcomes.js";
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
        else if (pairs?.mayDiffer(other) && other.pods.some((pod) => !moved.has(pod)))
          changes.add(pairs.before(other), pairs.after(other), () => classWithout(other, moved));
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

/** The pairs of a moved pod with others, in one direction. */
class MovedPairs {
  /** By layer, then by row: whether it tells the two classes apart. */
  private readonly tellsApart: readonly Uint8Array[];
  private readonly rowBefore: Uint32Array;
  private readonly rowAfter: Uint32Array;

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
    private readonly move: Move,
  ) {
    const other = direction === "egress" ? "ingress" : "egress";
    this.tellsApart = view.layers[other].map(({ rows }) => new Uint8Array(rows.rows.length));
    const rows = new WholeRows(view, direction);
    this.rowBefore = rows.of(move.from);
    this.rowAfter = rows.of(move.to);
  }

  /** Cheap, and not always right: whether the answers are worth comparing. */
  mayDiffer(other: EndClass): boolean {
    const { view, direction, move } = this;
    if (isOther(this.rowBefore[other.column]!, this.rowAfter[other.column]!)) return true;
    const opposite = view.layers[direction === "egress" ? "ingress" : "egress"];
    for (let i = 0; i < opposite.length; i++) {
      const { rows, inside } = opposite[i]!;
      const row = rows.rowOf[other.index]!;
      const known = this.tellsApart[i]!;
      if (known[row] === 0)
        known[row] = isOther(inside.at(row, move.from.column), inside.at(row, move.to.column)) ? 2 : 1;
      if (known[row] === 2) return true;
    }
    return false;
  }

  before(other: EndClass): number {
    return this.pair(this.move.from, other);
  }

  after(other: EndClass): number {
    return this.pair(this.move.to, other);
  }

  private pair(own: EndClass, other: EndClass): number {
    return this.direction === "egress" ? this.view.pairAnswer(own, other) : this.view.pairAnswer(other, own);
  }
}

/** Two that are uncertain need not be so for the same reasons. */
const isOther = (a: OutcomeId, b: OutcomeId): boolean => a !== b || a === uncertain;

/** Hosts stand to a pod as its node says, which may have changed as well (S1.6). */
function hostChanges(view: View, direction: Direction, move: Move, host: EndClass, changes: ChangesOf): void {
  const byNearness = new Map<string, { then: Nearness; now: Nearness; members: Member[] }>();
  for (const member of [...host.nodes, ...host.pods]) {
    const then = nearnessOf(move.before, member);
    const now = nearnessOf(move.after, member);
    const known = byNearness.get(`${then} ${now}`);
    if (known === undefined) byNearness.set(`${then} ${now}`, { then, now, members: [member] });
    else known.members.push(member);
  }
  for (const { then, now, members } of byNearness.values())
    changes.add(
      view.answer(direction, move.from, { kind: "host", end: host, nearness: then }),
      view.answer(direction, move.to, { kind: "host", end: host, nearness: now }),
      () => justThese(members),
      now,
    );
}
