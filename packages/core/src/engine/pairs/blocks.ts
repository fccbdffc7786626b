import type { Family } from "../../net/address.js";
import type { AnswerId } from "../compile/answers.js";
import type { EndGroup } from "./end-groups.js";
import type { Nearness } from "../compile/layer.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import type { Outgoing } from "./pod-sweep.js";
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
  /** Destinations, and the slot of the answer of each. */
  private listed: Uint16Array | Uint32Array | number[] = [];
  private slotAt: Uint16Array | Uint32Array | number[] = [];
  /** The slot of the destinations that are not listed; 0 if the source cannot connect to them. */
  private rest = 0;
  private isInRest: (i: number) => boolean = () => true;

  constructor(
    private readonly view: View,
    private readonly slots: AnswerSlots,
    private readonly from: EndGroup,
    private readonly all: readonly EndGroup[],
    private readonly nearness?: Nearness,
  ) {}

  /** The i-th of all ends gets this answer, in so many pairs. */
  add(answer: AnswerId, i: number, pairs: number): void {
    const to = this.all[i]!;
    // Nothing is said here about an end and itself.
    const count = to === this.from ? pairs - to.size : pairs;
    if (count === 0) return;
    const slot = this.slots.slotOf(answer);
    (this.listed as number[]).push(i);
    (this.slotAt as number[]).push(slot);
    this.counts[slot] = (this.counts[slot] ?? 0) + count;
  }

  /** The same for all pods, as far as the source, which is one of them, can talk to them. Most have no port open. */
  addAll(outgoing: Outgoing, { each, all }: Sizes, self: number, canTalk?: (i: number) => boolean): void {
    const { slots, counts } = this;
    const { open, answers } = canTalk === undefined ? outgoing : talkingOnly(outgoing, canTalk);
    const { size } = this.from;
    const rest = slots.slotOf(noPorts);
    const talking =
      canTalk === undefined ? all : each.reduce((sum, one, i) => sum + (canTalk(i) ? one : 0), 0);
    counts[rest] = size * talking;
    // Many blocks are kept at a time: with fewer groups than that, two bytes are enough for each number.
    const Numbers = this.all.length < 0xffff ? Uint16Array : Uint32Array;
    const slotAt = new Numbers(open.length);
    for (let k = 0; k < open.length; k++) {
      const slot = slots.slotOf(answers[k]!);
      if (slot === counts.length) counts.push(0);
      const pairs = size * each[open[k]!]!;
      slotAt[k] = slot;
      counts[slot]! += pairs;
      counts[rest] -= pairs;
    }
    this.rest = rest;
    this.listed = new Numbers(open);
    this.slotAt = slotAt;
    // Nothing is said here about an end and itself.
    const slotOfSelf = slotAt[open.indexOf(self)] ?? rest;
    if (canTalk?.(self) !== false) counts[slotOfSelf]! -= size;
    if (size === 1 && slotOfSelf !== rest) slotAt[open.indexOf(self)] = 0;
    this.isInRest = (i) => (i !== self || size > 1) && canTalk?.(i) !== false;
  }

  *blocks(): Iterable<Block> {
    const { view, from, nearness, counts } = this;
    for (const [i, answer] of this.slots.finish().entries())
      if (counts[i + 1] !== 0)
        yield new Block(view, from, answer, counts[i + 1]!, nearness, () => this.groupsAt(i + 1));
  }

  private groupsAt(slot: number): readonly EndGroup[] {
    const { all, listed, slotAt, rest } = this;
    if (slot !== rest)
      return Array.from(listed)
        .filter((_, k) => slotAt[k] === slot)
        .toSorted(ascending)
        .map((i) => all[i]!);
    const others = new Set(listed);
    return all.filter((_, i) => !others.has(i) && this.isInRest(i));
  }
}

const ascending = (a: number, b: number): number => a - b;

function talkingOnly(
  { open, answers }: Outgoing,
  canTalk: (i: number) => boolean,
): Pick<Outgoing, "open" | "answers"> {
  return { open: open.filter((i) => canTalk(i)), answers: answers.filter((_, k) => canTalk(open[k]!)) };
}
