import type { Family } from "../../net/address.js";
import type { AnswerId } from "../compile/answers.js";
import type { EndGroup } from "./end-groups.js";
import type { Nearness } from "../compile/layer.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import type { Outgoing } from "./pod-sweep.js";
import type { View } from "../compile/view.js";

/** Pairs of ends that get the same answer: each of `from` with each of `to`, except with itself. */
export class Block {
  /** The address family of the connections, where the ends tell (S1.15). */
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

  /** The answers numbered so far. With that, it is ready for the next source. */
  finish(): readonly AnswerId[] {
    const { used } = this;
    for (const answer of used) if (answer < this.slots.length) this.slots[answer] = 0;
    this.others.clear();
    this.used = [];
    return used;
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

/** Sorts the destinations of one source by the answer they get, without an object for each. */
export class Blocks {
  /** By slot: how many pairs. */
  private readonly counts: number[] = [0];
  /** By destination: the slot of its answer; 0 for those that the source does not talk to. */
  private readonly slotOf: Uint16Array | Uint32Array;

  constructor(
    private readonly view: View,
    private readonly slots: AnswerSlots,
    private readonly from: EndGroup,
    private readonly all: readonly EndGroup[],
    private readonly nearness?: Nearness,
  ) {
    this.slotOf = all.length < 0xffff ? new Uint16Array(all.length) : new Uint32Array(all.length);
  }

  /** The i-th of all ends gets this answer, in so many pairs. */
  add(answer: AnswerId, i: number, pairs: number): void {
    const to = this.all[i]!;
    // Nothing is said here about an end and itself.
    const count = to === this.from ? pairs - to.size : pairs;
    if (count === 0) return;
    const slot = this.slots.slotOf(answer);
    this.slotOf[i] = slot;
    this.counts[slot] = (this.counts[slot] ?? 0) + count;
  }

  /** The same for all pods, as far as the source, which is one of them, can talk to them. */
  addAll({ toPods, open }: Outgoing, sizes: Sizes, self: number, canTalk?: (i: number) => boolean): void {
    if (canTalk === undefined) this.addOpen(toPods, open, sizes);
    else this.addEach(toPods, sizes, canTalk);
    const { slotOf, counts } = this;
    // Nothing is said here about an end and itself.
    counts[slotOf[self]!]! -= this.from.size;
    if (this.from.size === 1) slotOf[self] = 0;
  }

  /** Most are open to nobody, and not looked at. */
  private addOpen(answers: Uint32Array, open: Uint32Array, { each, all }: Sizes): void {
    const { slotOf, slots, counts } = this;
    const { size } = this.from;
    const none = slots.slotOf(noPorts);
    slotOf.fill(none);
    counts[none] = size * all;
    for (let k = 0; k < open.length; k++) {
      const i = open[k]!;
      const slot = slots.slotOf(answers[i]!);
      if (slot === none) continue;
      if (slot === counts.length) counts.push(0);
      slotOf[i] = slot;
      counts[slot]! += size * each[i]!;
      counts[none] -= size * each[i]!;
    }
  }

  private addEach(answers: Uint32Array, { each }: Sizes, canTalk?: (i: number) => boolean): void {
    const { slotOf, slots, counts } = this;
    const { size } = this.from;
    for (let i = 0; i < answers.length; i++) {
      if (canTalk !== undefined && !canTalk(i)) continue;
      const slot = slots.slotOf(answers[i]!);
      if (slot === counts.length) counts.push(0);
      slotOf[i] = slot;
      counts[slot]! += size * each[i]!;
    }
  }

  *blocks(): Iterable<Block> {
    const { view, from, nearness, slotOf, all, counts } = this;
    for (const [i, answer] of this.slots.finish().entries()) {
      if (counts[i + 1] === 0) continue;
      const listed = () => all.filter((_, at) => slotOf[at] === i + 1);
      yield new Block(view, from, answer, counts[i + 1]!, nearness, listed);
    }
  }
}
