import type { Family } from "../net/address.js";
import type { AnswerId } from "./answers.js";
import type { EndGroup } from "./end-groups.js";
import type { Nearness } from "./layer.js";
import type { PortSetId } from "./port-sets.js";
import type { View } from "./view.js";

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

/** Sorts the destinations of one source by the answer they get, without an object for each. */
export class Blocks {
  private readonly answers: AnswerId[] = [];
  private readonly counts: number[] = [];
  private readonly slots = new Map<AnswerId, number>();
  /** By destination: the number of its answer, from 1; 0 for those that the source does not talk to. */
  private readonly slotOf: Uint32Array;
  /** Answers asked for lately, which are mostly those asked for next. */
  private readonly recentAnswers = new Float64Array(recent).fill(-1);
  private readonly recentSlots = new Uint32Array(recent);

  constructor(
    private readonly view: View,
    private readonly from: EndGroup,
    private readonly all: readonly EndGroup[],
    private readonly nearness?: Nearness,
  ) {
    this.slotOf = new Uint32Array(all.length);
  }

  /** The i-th of all ends gets this answer, in so many pairs. */
  add(answer: AnswerId, i: number, pairs: number): void {
    const to = this.all[i]!;
    // Nothing is said here about an end and itself.
    const count = to === this.from ? pairs - to.size : pairs;
    if (count === 0) return;
    const slot = this.slotFor(answer);
    this.slotOf[i] = slot;
    this.counts[slot - 1]! += count;
  }

  /** The same for all ends, as far as the source can talk to them. */
  addAll(answers: Uint32Array, sizes: Float64Array, canTalk: (i: number) => boolean, toAll: boolean): void {
    const { slotOf, counts, recentAnswers, recentSlots } = this;
    const self = this.all.indexOf(this.from);
    const { size } = this.from;
    for (let i = 0; i < answers.length; i++) {
      if (!toAll && !canTalk(i)) continue;
      const answer = answers[i]!;
      const at = answer & (recent - 1);
      const slot = recentAnswers[at] === answer ? recentSlots[at]! : this.slotFor(answer);
      const count = i === self ? size * (size - 1) : size * sizes[i]!;
      if (count === 0) continue;
      slotOf[i] = slot;
      counts[slot - 1]! += count;
    }
  }

  private slotFor(answer: AnswerId): number {
    let slot = this.slots.get(answer);
    if (slot === undefined) {
      slot = this.answers.push(answer);
      this.slots.set(answer, slot);
      this.counts.push(0);
    }
    this.recentAnswers[answer & (recent - 1)] = answer;
    this.recentSlots[answer & (recent - 1)] = slot;
    return slot;
  }

  *blocks(): Iterable<Block> {
    const { view, from, nearness, slotOf, all } = this;
    for (const [i, answer] of this.answers.entries()) {
      const listed = () => all.filter((_, at) => slotOf[at] === i + 1);
      if (this.counts[i]! > 0) yield new Block(view, from, answer, this.counts[i]!, nearness, listed);
    }
  }
}

/** A power of two. */
const recent = 256;
