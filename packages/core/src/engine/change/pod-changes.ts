import type { Direction } from "../../policy/model.js";
import {
  addOutside,
  type ChangedPairs,
  ChangesOf,
  classWithout,
  justThese,
  nearnessOfMembers,
} from "./changed-pairs.js";
import type { EndClass, Member } from "../classes/ends.js";
import { nearnessBetween, type Nearness } from "../compile/layer.js";
import { type Move, MoveComparison } from "./move-comparison.js";
import { isSameOutside, OutsideAnswers } from "../pairs/outside-runs.js";
import { talksOutside } from "./policy-changes.js";
import { canCompare } from "../classes/talking.js";
import type { View } from "../compile/view.js";

/** What changes under the same policies when pods change. */
export function* changesOfPods(view: View, moves: readonly Move[]): Iterable<ChangedPairs> {
  const moved = new Set(moves.map(({ after }) => after));
  for (const [i, move] of moves.entries()) {
    const unlike = move.from === move.to ? new Set<number>() : view.unlike(move.from, move.to);
    const talking = new Talking(view, move);
    const meets = (other: EndClass) =>
      talking.with(other) && (other.pods.length > moves.length || other.pods.some((pod) => !moved.has(pod)));
    for (const direction of ["egress", "ingress"] as const) {
      const side = direction === "egress" ? "from" : "to";
      const changes = new ChangesOf(justThese([move.after]), side, view.family, view.answers);
      const comparison = new MoveComparison(view, direction, move, unlike);
      comparison.withPods(changes, meets, (other) => classWithout(other, moved));
      for (const host of comparison.hosts())
        if (talking.with(host)) hostChanges(view, direction, move, host, changes);
      outsideChanges(view, direction, move, changes);
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
    let key = 0;
    for (const family of other.families) key += family;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const found = talks(this.view, this.move, other, other);
    this.known.set(key, found);
    return found;
  }
}

function outsideChanges(view: View, direction: Direction, { from, to }: Move, changes: ChangesOf): void {
  const { family } = view;
  if (from === to) return;
  if (family === undefined || !talksOutside(family, from) || !talksOutside(family, to)) return;
  if (isSameOutside(view.layers[direction], view.layers[direction], from, to)) return;
  const outside = new OutsideAnswers(view, family);
  addOutside(changes, outside.of(direction, from), outside.of(direction, to));
}

/** Hosts stand to a pod as its node says, which may have changed as well (S1.6). */
function hostChanges(view: View, direction: Direction, move: Move, host: EndClass, changes: ChangesOf): void {
  const answer = (end: EndClass, nearness: Nearness) => {
    const other = { kind: "host", end: host, nearness } as const;
    return direction === "egress" ? view.answer(direction, end, other) : view.fromHost(end, other);
  };
  const isMeant = (member: Member, was: Nearness, is: Nearness) =>
    nearnessOfMembers(move.before, member) === was && nearnessOfMembers(move.after, member) === is;
  for (const was of nearnessBetween(move.from, host))
    for (const is of nearnessBetween(move.to, host)) {
      if (was !== is && move.before.node === move.after.node) continue;
      const [before, after] = [answer(move.from, was), answer(move.to, is)];
      // There are many hosts, and mostly nothing has changed for them.
      if (before === after) continue;
      const members = [...host.nodes, ...host.pods].filter((member) => isMeant(member, was, is));
      if (members.length > 0) changes.add(before, after, () => justThese(members), is);
    }
}
