import type { Address, Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import type { AnswerId } from "../compile/answers.js";
import type { EndClass } from "../classes/ends.js";
import type { Layer } from "../compile/layer.js";
import { silent } from "../walk/outcomes.js";
import { everyPort } from "../../sets/port-sets.js";
import { isUncertain, sameRow } from "../walk/table-walk.js";
import type { View } from "../compile/view.js";

/** A range of external addresses, including the first and the last. */
export interface AddressRange {
  readonly family: Family;
  readonly first: Address["value"];
  readonly last: Address["value"];
}

/** A longest range of addresses that get the same answer. */
export interface OutsideRun {
  readonly range: AddressRange;
  readonly answer: AnswerId;
}

/** Runs with a text that equal ones share. */
export interface OutsideRuns {
  readonly key: string;
  readonly runs: readonly OutsideRun[];
}

/** What the policies of pods say to all external addresses of the view's family. */
export class OutsideAnswers {
  private readonly found = new Map<string, OutsideRuns>();

  constructor(
    private readonly view: View,
    private readonly family: Family,
  ) {}

  of(direction: Direction, subject: EndClass): OutsideRuns {
    const rows =
      subject.kind === "host" ? "" : this.view.layers[direction].map(({ rows }) => rows.rowOf[subject.index]);
    const key = `${direction} ${rows.toString()}`;
    const known = this.found.get(key);
    if (known !== undefined) return known;
    const runs = [...this.compute(direction, subject)];
    const made = { key: runs.map(({ range, answer }) => `${range.first}:${answer}`).join(), runs };
    this.found.set(key, made);
    return made;
  }

  private *compute(direction: Direction, subject: EndClass): Iterable<OutsideRun> {
    let open: { first: Address; last: Address; answer: AnswerId } | undefined;
    const { atoms } = this.view.ends.vocabulary;
    for (const [from, to, answer] of this.stretches(direction, subject)) {
      const last = atoms.lastOf(to - 1);
      if (open?.answer === answer) open.last = last;
      else {
        if (open !== undefined) yield this.run(open);
        open = { first: atoms.firstOf(from), last, answer };
      }
    }
    if (open !== undefined) yield this.run(open);
  }

  /** From one atom to before another, and what they get; only atoms that some tier singles out are asked about. */
  private *stretches(
    direction: Direction,
    subject: EndClass,
  ): Iterable<readonly [from: number, to: number, answer: AnswerId]> {
    const { view } = this;
    const { atoms } = view.ends.vocabulary;
    const [begin, end] = atoms.rangeOf({ family: this.family, first: 0n, prefix: 0 });
    // S1.4
    if (subject.kind === "host") {
      yield [begin, end, everyPort];
      return;
    }
    let base = silent;
    const special = new Set<number>();
    for (const { rows, outside } of view.layers[direction]) {
      const said = outside.values(rows.rowOf[subject.index]!);
      base = view.outcomes.compose(base, said.base);
      for (const atom of said.columns) if (atom >= begin && atom < end) special.add(atom);
    }
    const rest = view.answerOf(base);
    let next = begin;
    for (const atom of [...special].toSorted((a, b) => a - b)) {
      if (atom > next) yield [next, atom, rest];
      yield [atom, atom + 1, view.answer(direction, subject, { kind: "external", atom })];
      next = atom + 1;
    }
    if (next < end) yield [next, end, rest];
  }

  private run({
    first,
    last,
    answer,
  }: {
    readonly first: Address;
    readonly last: Address;
    readonly answer: AnswerId;
  }): OutsideRun {
    return { range: { family: this.family, first: first.value, last: last.value }, answer };
  }
}

/** Whether what the policies of a class say to external addresses is surely what those of another said. */
export function isSameOutside(
  before: readonly Layer[],
  after: readonly Layer[],
  from: EndClass,
  to: EndClass,
): boolean {
  if (before.length !== after.length) return false;
  for (const [i, now] of after.entries()) {
    const then = before[i]!;
    const [was, is] = [then.rows.rowOf[from.index]!, now.rows.rowOf[to.index]!];
    if (then.tier.name !== now.tier.name) return false;
    if (was !== is) {
      const said = now.outside.values(is);
      if (isUncertain(said) || !sameRow(then.outside.values(was), said)) return false;
    }
    // S1.3: what later tiers say is of no concern.
    if (now.outside.closes(is)) return true;
  }
  return true;
}
