import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import type { AnswerId } from "../compile/answers.js";
import { addOutside, type ChangedPairs, ChangesOf, nodeNameOf, wholeClass } from "./changed-pairs.js";
import { type EndClass, sizeOf } from "../classes/ends.js";
import type { Layer, Nearness } from "../compile/layer.js";
import { composeAll, isSettled, type OutcomeId, silent, uncertain } from "../compile/outcomes.js";
import { isSameOutside, OutsideAnswers } from "../pairs/outside-runs.js";
import { noPorts } from "../../sets/port-sets.js";
import { canTalk } from "../classes/talking.js";
import type { View } from "../compile/view.js";

export type Affected = Readonly<Record<Direction, ReadonlySet<number>>>;

/** What changes between the same ends when policies change; `affected` are the classes whose own policies do. */
export function* changesOfPolicies(before: View, after: View, affected: Affected): Iterable<ChangedPairs> {
  const { ends, family } = after;
  const isInUse = (end: EndClass) => sizeOf(end) > 0;
  for (const direction of ["egress", "ingress"] as const) {
    const rows = { before: new WholeRows(before, direction), after: new WholeRows(after, direction) };
    const outside = family && {
      before: new OutsideAnswers(before, family),
      after: new OutsideAnswers(after, family),
    };
    // Where both ends are affected, their pairs are looked at from the source.
    const bothWays = direction === "egress" ? Array.from(affected.ingress, (i) => ends.classes[i]!) : [];
    for (const index of Array.from(affected[direction]).toSorted(ascending)) {
      const subject = ends.classes[index]!;
      if (subject.kind !== "pod" || !isInUse(subject)) continue;
      const changes = new ChangesOf(
        wholeClass(subject),
        direction === "egress" ? "from" : "to",
        family,
        after.answers,
      );
      const columns = differingColumns(before.layers[direction], after.layers[direction], subject, subject);
      const comparison = new Comparison(
        before,
        after,
        affected,
        direction,
        subject,
        columns ? undefined : rows,
      );
      const others =
        columns === undefined
          ? ends.classes
          : [
              ...new Set([
                ...columns.map((column) => ends.classes[ends.classOfColumn[column]!]!),
                ...bothWays,
              ]),
            ];
      // Of most others nothing has changed: that is the cheapest to find out.
      for (const other of others)
        if (
          isInUse(other) &&
          comparison.mayDiffer(other) &&
          canTalk(family, subject.families, other.families)
        )
          if (other.kind === "pod") comparison.withPod(other, changes);
          else comparison.withHost(other, changes);
      if (
        outside !== undefined &&
        talksOutside(family, subject) &&
        !isSameOutside(before.layers[direction], after.layers[direction], subject, subject)
      )
        addOutside(changes, outside.before.of(direction, subject), outside.after.of(direction, subject));
      yield* changes.all();
    }
  }
}

const ascending = (a: number, b: number): number => a - b;

/** The columns to which the rows of a class say something else than those of another; undefined where that may be any. */
function differingColumns(
  before: readonly Layer[],
  after: readonly Layer[],
  from: EndClass,
  to: EndClass,
): readonly number[] | undefined {
  const found: number[] = [];
  if (before.length !== after.length) return undefined;
  for (const [i, now] of after.entries()) {
    const then = before[i]!;
    if (then.tier.name !== now.tier.name) return undefined;
    const [was, is] = [then.rows.rowOf[from.index]!, now.rows.rowOf[to.index]!];
    if (was === is) continue;
    const columns = now.inside.columnsBetween(was, is);
    if (columns === undefined) return undefined;
    found.push(...columns);
  }
  return found;
}

/** S1.14: a pod whose address is not known may have one of any family. */
export const talksOutside = (family: Family | undefined, { families }: EndClass): boolean =>
  family !== undefined && (families.length === 0 || families.includes(family));

/** One class whose policies change, held against others. */
class Comparison {
  private readonly was: (column: number) => OutcomeId;
  private readonly is: (column: number) => OutcomeId;

  constructor(
    private readonly before: View,
    private readonly after: View,
    private readonly affected: Affected,
    private readonly direction: Direction,
    private readonly subject: EndClass,
    /** Given where most others are asked about. */
    rows: { readonly before: WholeRows; readonly after: WholeRows } | undefined,
  ) {
    const [was, is] = [rows?.before.of(subject), rows?.after.of(subject)];
    this.was = (column) => was?.[column] ?? before.outcomeAt(direction, subject, column);
    this.is = (column) => is?.[column] ?? after.outcomeAt(direction, subject, column);
  }

  mayDiffer(other: EndClass): boolean {
    return this.differs(other.column) || this.differs(other.ownColumn) || this.isBothWays(other);
  }

  private isBothWays({ index }: EndClass): boolean {
    return this.direction === "egress" && this.affected.ingress.has(index);
  }

  withPod(other: EndClass, changes: ChangesOf): void {
    const { affected, direction, before, after } = this;
    // Where both ends are affected, their pairs are looked at from the source.
    if (direction === "ingress" && affected.egress.has(other.index)) return;
    if (other === this.subject && other.pods.length === 1) return;
    const theirs = this.isBothWays(other) ? undefined : this.otherEnd(other);
    // What the other end refuses anyway has not changed.
    if (theirs === noPorts) return;
    const [was, is] = [this.was(other.column), this.is(other.column)];
    const isCertain = isSettled(was) && isSettled(is);
    if (theirs !== undefined && isCertain && after.answers.undecided(theirs) === noPorts) {
      const both = (own: OutcomeId) => after.answers.ports.intersect(after.answerOf(own), theirs);
      changes.add(both(was), both(is), () => wholeClass(other));
      return;
    }
    const [source, destination] = direction === "egress" ? [this.subject, other] : [other, this.subject];
    changes.add(before.pairAnswer(source, destination), after.pairAnswer(source, destination), () =>
      wholeClass(other),
    );
  }

  withHost(host: EndClass, changes: ChangesOf): void {
    const { direction, subject, before, after } = this;
    if (!this.differs(host.column) && !this.differs(host.ownColumn)) return;
    for (const nearness of nearnessesOf(subject, host)) {
      const other = { kind: "host", end: host, nearness } as const;
      changes.add(
        before.answer(direction, subject, other),
        after.answer(direction, subject, other),
        () => wholeClass(host),
        nearness,
      );
    }
  }

  private differs(column: number): boolean {
    const is = this.is(column);
    return this.was(column) !== is || is === uncertain;
  }

  private otherEnd(other: EndClass): AnswerId {
    const direction = this.direction === "egress" ? "ingress" : "egress";
    return this.after.answer(direction, other, { kind: "pod", end: this.subject });
  }
}

/** Which of the ways to stand to each other there are between the members of two classes. */
export function nearnessesOf(pods: EndClass, hosts: EndClass): readonly Nearness[] {
  if (!pods.placed || !hosts.placed) return ["unknown-node"];
  const names = new Set([...hosts.nodes, ...hosts.pods].map(nodeNameOf));
  const onHosts = pods.pods.filter(({ node }) => names.has(node)).length;
  const isOnlyOwn = onHosts === pods.pods.length && names.size === 1;
  return [...(onHosts > 0 ? (["own-node"] as const) : []), ...(isOnlyOwn ? [] : (["other-node"] as const))];
}

/** What all tiers of a direction say together, for all columns; classes with the same rows share it. */
class WholeRows {
  private readonly known = new Map<string, Uint32Array>();

  constructor(
    private readonly view: View,
    private readonly direction: Direction,
  ) {}

  of(subject: EndClass): Uint32Array {
    const layers = this.view.layers[this.direction];
    const rows = layers.map(({ rows }) => rows.rowOf[subject.index]!);
    const key = rows.join();
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { outcomes, ends } = this.view;
    const all = new Uint32Array(ends.columns).fill(silent);
    const depth = this.view.reach(this.direction).depthOf(subject.index);
    for (const [i, { inside }] of layers.slice(0, depth).entries()) {
      const said = new Uint32Array(inside.layout.columns);
      inside.read(rows[i]!, said);
      composeAll(outcomes, all, said, inside.layout.columnOf);
    }
    this.known.set(key, all);
    return all;
  }
}
