import type { Family } from "../net/address.js";
import type { Direction } from "../policy/model.js";
import type { AnswerId } from "./answers.js";
import { addOutside, type ChangedPairs, ChangesOf, nodeNameOf, wholeClass } from "./changed-pairs.js";
import { type EndClass, sizeOf } from "./ends.js";
import type { Nearness } from "./layer.js";
import { composeAll, type OutcomeId, silent, uncertain } from "./outcomes.js";
import { OutsideAnswers } from "./outside-runs.js";
import { noPorts } from "./port-sets.js";
import { canTalk } from "./talking.js";
import type { View } from "./view.js";

export type Affected = Readonly<Record<Direction, ReadonlySet<number>>>;

/** What changes between the same ends when policies change; `affected` are the classes whose own policies do. */
export function* changesOfPolicies(before: View, after: View, affected: Affected): Iterable<ChangedPairs> {
  const inUse = after.ends.classes.filter((end) => sizeOf(end) > 0);
  for (const direction of ["egress", "ingress"] as const) {
    const rows = { before: new WholeRows(before, direction), after: new WholeRows(after, direction) };
    const { family } = after;
    const outside = family && {
      before: new OutsideAnswers(before, family),
      after: new OutsideAnswers(after, family),
    };
    for (const subject of inUse) {
      if (subject.kind !== "pod" || !affected[direction].has(subject.index)) continue;
      const changes = new ChangesOf(
        wholeClass(subject),
        direction === "egress" ? "from" : "to",
        after.family,
        after.answers,
      );
      const comparison = new Comparison(before, after, affected, direction, subject, rows);
      // Of most others nothing has changed: that is the cheapest to find out.
      for (const other of inUse)
        if (comparison.mayDiffer(other) && canTalk(after.family, subject.families, other.families))
          if (other.kind === "pod") comparison.withPod(other, changes);
          else comparison.withHost(other, changes);
      if (outside !== undefined && talksOutside(family, subject))
        addOutside(changes, outside.before.of(direction, subject), outside.after.of(direction, subject));
      yield* changes.all();
    }
  }
}

/** S1.14: a pod whose address is not known may have one of any family. */
export const talksOutside = (family: Family | undefined, { families }: EndClass): boolean =>
  family !== undefined && (families.length === 0 || families.includes(family));

/** One class whose policies change, held against others. */
class Comparison {
  private readonly rowBefore: Uint32Array;
  private readonly rowAfter: Uint32Array;

  constructor(
    private readonly before: View,
    private readonly after: View,
    private readonly affected: Affected,
    private readonly direction: Direction,
    private readonly subject: EndClass,
    rows: { readonly before: WholeRows; readonly after: WholeRows },
  ) {
    this.rowBefore = rows.before.of(subject);
    this.rowAfter = rows.after.of(subject);
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
    const [was, is] = [this.rowBefore[other.column]!, this.rowAfter[other.column]!];
    const isCertain = was !== uncertain && is !== uncertain;
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
    return this.rowBefore[column] !== this.rowAfter[column] || this.rowAfter[column] === uncertain;
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
export class WholeRows {
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
    for (const [i, { inside }] of layers.entries()) {
      const said = new Uint32Array(inside.layout.columns);
      inside.read(rows[i]!, said);
      composeAll(outcomes, all, said, inside.layout.columnOf);
    }
    this.known.set(key, all);
    return all;
  }
}
