import type { Family } from "../../net/address.js";
import type { AnswerId } from "../compile/answers.js";
import type { EndGroup } from "./end-groups.js";
import type { Nearness } from "../compile/layer.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import type { Outgoing, Usual } from "./pod-sweep.js";
import type { View } from "../compile/view.js";

/** Connections with the same answer: from each endpoint of `from` to each of `to`, except to itself. */
export class Block {
  /** The address family of the connections, if the endpoints determine it (S1.15). */
  readonly family: Family | undefined;
  readonly allowed: PortSetId;
  readonly undecided: PortSetId;

  constructor(
    { family, answers }: View,
    readonly from: EndGroup,
    answer: AnswerId,
    /** How many ordered pairs of different ends. */
    readonly count: number,
    /** Where one end is a host and the other a pod: which of their pairs are meant (S1.6). */
    readonly nearness: Nearness | undefined,
    private readonly listed: () => readonly EndGroup[],
  ) {
    this.family = family;
    this.allowed = answers.allowed(answer);
    this.undecided = answers.undecided(answer);
  }

  /** Listed when asked for. */
  get to(): readonly EndGroup[] {
    return this.listed();
  }
}

/** Numbers the answers that one source gets after the other, from 1. */
export class AnswerSlots {
  private slots = new Uint32Array(1024);
  private used: AnswerId[] = [];
  /** For answers beyond those that a table can hold. */
  private readonly others = new Map<AnswerId, number>();

  slotOf(answer: AnswerId): number {
    const known = answer < this.slots.length ? this.slots[answer]! : (this.others.get(answer) ?? 0);
    return known === 0 ? this.add(answer) : known;
  }

  get count(): number {
    return this.used.length;
  }

  /** By slot, from 1 on. */
  get answers(): readonly AnswerId[] {
    return this.used;
  }

  /** Keeps only the first slots. */
  keep(count: number): void {
    for (const answer of this.used.splice(count)) {
      if (answer < this.slots.length) this.slots[answer] = 0;
      else this.others.delete(answer);
    }
  }

  private add(answer: AnswerId): number {
    const slot = this.used.push(answer);
    if (answer >= this.slots.length && answer < largestTable) {
      const longer = new Uint32Array(2 * answer);
      longer.set(this.slots);
      this.slots = longer;
    }
    if (answer < this.slots.length) this.slots[answer] = slot;
    else this.others.set(answer, slot);
    return slot;
  }
}

const largestTable = 1 << 22;

/** How many ends there are in each group, and in all. */
export interface Sizes {
  readonly each: Float64Array;
  readonly all: number;
}

/** The blocks of one source. */
export interface SourceBlocks {
  blocks(): Iterable<Block>;
}

/** Sorts the destinations of one source by the answer they get. */
export class Blocks implements SourceBlocks {
  private readonly found = new Map<AnswerId, { count: number; readonly groups: EndGroup[] }>();

  constructor(
    private readonly view: View,
    private readonly from: EndGroup,
    private readonly nearness?: Nearness,
  ) {}

  /** A group gets this answer, in so many pairs. */
  add(answer: AnswerId, to: EndGroup, pairs: number): void {
    // Nothing is said here about an end and itself.
    const count = to === this.from ? pairs - to.size : pairs;
    if (count === 0) return;
    const known = this.found.get(answer);
    if (known === undefined) this.found.set(answer, { count, groups: [to] });
    else {
      known.groups.push(to);
      known.count += count;
    }
  }

  *blocks(): Iterable<Block> {
    for (const [answer, { count, groups }] of this.found)
      yield new Block(this.view, this.from, answer, count, this.nearness, () => groups);
  }
}

/** Groups of pods by the answer that several sources usually get for them, without an object for each. */
export class UsualBlocks {
  /** Groups with an open port, and the slot of the answer for each. */
  readonly listed: Uint16Array | Uint32Array;
  readonly slotAt: Uint16Array | Uint32Array;
  /** By slot: how many pods. */
  readonly counts: readonly number[];
  /** The slot of the groups that are not listed. */
  readonly rest: number;
  /** How many slots there are. */
  readonly slotCount: number;

  constructor(
    readonly of: Usual,
    slots: AnswerSlots,
    { each, all }: Sizes,
    /** Which groups the sources can talk to; undefined if they can talk to all. */
    readonly canTalk?: (i: number) => boolean,
  ) {
    slots.keep(0);
    const { answers } = of;
    const open = canTalk === undefined ? of.open : of.open.filter((i) => canTalk(i));
    const talking =
      canTalk === undefined ? all : each.reduce((sum, one, i) => sum + (canTalk(i) ? one : 0), 0);
    // Many blocks are kept at a time: with fewer groups than that, two bytes are enough for each number.
    const Numbers = each.length < 0xffff ? Uint16Array : Uint32Array;
    const rest = slots.slotOf(noPorts);
    const counts = [0, 0];
    const slotAt = new Numbers(open.length);
    let listed = 0;
    for (let k = 0; k < open.length; k++) {
      const i = open[k]!;
      const slot = slots.slotOf(answers[i]!);
      if (slot === counts.length) counts.push(0);
      slotAt[k] = slot;
      counts[slot]! += each[i]!;
      listed += each[i]!;
    }
    counts[rest] = talking - listed;
    this.listed = new Numbers(open);
    this.slotAt = slotAt;
    this.counts = counts;
    this.rest = rest;
    this.slotCount = slots.count;
  }
}

/** The same for one of these sources, which is the group `self`. */
export class PodBlocks implements SourceBlocks {
  private readonly counts: number[];
  private readonly answers: readonly AnswerId[];
  private readonly singledSlots: readonly number[];
  private readonly singled: readonly number[];

  constructor(
    private readonly view: View,
    private readonly usual: UsualBlocks,
    { usual: { answers }, singled, singledAnswers }: Outgoing,
    slots: AnswerSlots,
    { each }: Sizes,
    private readonly all: readonly EndGroup[],
    private readonly self: number,
  ) {
    const { canTalk } = usual;
    const counts = [...usual.counts];
    const isPeer = (i: number) => canTalk?.(i) !== false;
    this.singled = singled;
    this.singledSlots = singledAnswers.map((answer) => slots.slotOf(answer));
    while (counts.length <= slots.count) counts.push(0);
    for (const [k, i] of singled.entries()) {
      if (!isPeer(i)) continue;
      counts[slots.slotOf(answers[i]!)]! -= each[i]!;
      counts[this.singledSlots[k]!]! += each[i]!;
    }
    // Nothing is said here about an end and itself.
    if (isPeer(self)) counts[this.singledSlots[singled.indexOf(self)] ?? slots.slotOf(answers[self]!)]!--;
    this.counts = counts;
    this.answers = slots.answers.slice();
    slots.keep(usual.slotCount);
  }

  *blocks(): Iterable<Block> {
    const { view, counts, answers, all, self } = this;
    const from = all[self]!;
    for (let slot = 1; slot <= answers.length; slot++)
      if (counts[slot] !== 0)
        yield new Block(view, from, answers[slot - 1]!, from.size * counts[slot]!, undefined, () =>
          this.groupsAt(slot),
        );
  }

  private groupsAt(slot: number): readonly EndGroup[] {
    const { all, self, singled, singledSlots } = this;
    const { listed, slotAt, rest, canTalk } = this.usual;
    const others = new Set(singled);
    if (all[self]!.size === 1) others.add(self);
    const found = singled.filter((i, k) => singledSlots[k] === slot && (i !== self || all[self]!.size > 1));
    if (slot === rest) {
      const isListed = new Set(listed);
      for (const i of all.keys()) if (!isListed.has(i) && !others.has(i)) found.push(i);
    } else for (const [k, i] of listed.entries()) if (slotAt[k] === slot && !others.has(i)) found.push(i);
    return found
      .filter((i) => canTalk?.(i) !== false)
      .toSorted((a, b) => a - b)
      .map((i) => all[i]!);
  }
}
