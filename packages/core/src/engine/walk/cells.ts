import type { PortMasks } from "../../sets/port-masks.js";
import { noPorts } from "../../sets/port-sets.js";
import { WordRows } from "../../sets/word-rows.js";
import { type CellStates, effectOf, portsOf, type StateId, type Step } from "./cell-states.js";
import { type OutcomeId, type Outcomes, silent, uncertain, undecided } from "./outcomes.js";

/**
 * The states of many pairs of classes (cells), known by their positions: what a walk past many columns keeps. See
 * cell-states.ts for what the states are. Whatever returns a boolean says whether the cell is final, so that no further rule
 * of the tier changes its outcome.
 */
export interface Cells {
  /** Every port is open. */
  open(first: number, behindLast: number): void;
  copy(from: number, to: number): void;
  /** What `take` takes from now on. */
  useStep(step: Step): void;
  take(at: number): boolean;
  isolate(at: number): void;
  nextTier(at: number): boolean;
  outcome(at: number): OutcomeId;
}

/** Cells as numbers of states: for tables, where few states occur, in many cells. */
export class NumberedCells implements Cells {
  private readonly state: Uint32Array;
  private step: Step = 0;
  /** What the step did last: columns that are next to each other are mostly in the same state. */
  private lastState: StateId = -1;
  private lastNext: StateId = -1;

  constructor(
    private readonly states: CellStates,
    size: number,
  ) {
    this.state = new Uint32Array(size);
  }

  open(first: number, behindLast: number): void {
    this.state.fill(this.states.start, first, behindLast);
  }

  copy(from: number, to: number): void {
    this.state[to] = this.state[from]!;
  }

  useStep(step: Step): void {
    this.step = step;
    this.lastState = -1;
  }

  take(at: number): boolean {
    const state = this.state[at]!;
    if (state !== this.lastState) {
      this.lastState = state;
      this.lastNext = this.states.take(state, this.step);
    }
    this.state[at] = this.lastNext;
    return this.states.isFinal[this.lastNext] === 1;
  }

  isolate(at: number): void {
    this.state[at] = this.states.isolate(this.state[at]!);
  }

  nextTier(at: number): boolean {
    this.state[at] = this.states.nextTier(this.state[at]!);
    return this.isFinal(at);
  }

  outcome(at: number): OutcomeId {
    return this.states.outcomeOf(this.state[at]!);
  }

  statesAt(places: readonly number[]): Uint32Array {
    const found = new Uint32Array(places.length);
    for (let i = 0; i < places.length; i++) found[i] = this.state[places[i]!]!;
    return found;
  }

  putStates(places: readonly number[], states: Uint32Array): void {
    for (let i = 0; i < places.length; i++) this.state[places[i]!] = states[i]!;
  }

  private isFinal(at: number): boolean {
    return this.states.isFinal[this.state[at]!] === 1;
  }
}

/**
 * Cells as masks of ports, for walks through all tiers: where hardly two cells are alike, to number their states would cost more than to compute
 * them. What a rule may take is `uncertain` as a whole, as nothing needs to know more about it.
 */
export class MaskedCells implements Cells {
  private readonly isOpen: Uint32Array;
  private readonly allowed: Uint32Array;
  private readonly denied: Uint32Array;
  /** `uncertain` or `undecided` once a rule that is not sure took something. */
  private readonly unsettled: Uint8Array;
  private mask: Uint32Array = new Uint32Array(0);
  private effect: ReturnType<typeof effectOf> = "Pass";
  private readonly found: WordRows;
  private readonly outcomeOf: OutcomeId[] = [];
  /** Of the key that was looked for last. */
  private lastOutcome: OutcomeId | undefined;

  constructor(
    private readonly masks: PortMasks,
    private readonly outcomes: Outcomes,
    size: number,
  ) {
    this.isOpen = new Uint32Array(size * masks.words);
    this.allowed = new Uint32Array(this.isOpen.length);
    this.denied = new Uint32Array(this.isOpen.length);
    this.unsettled = new Uint8Array(size);
    this.found = new WordRows(masks.words);
  }

  open(first: number, behindLast: number): void {
    const { words } = this.masks;
    this.isOpen.fill(0xffffffff, first * words, behindLast * words);
    this.allowed.fill(0, first * words, behindLast * words);
    this.denied.fill(0, first * words, behindLast * words);
    this.unsettled.fill(silent, first, behindLast);
  }

  copy(from: number, to: number): void {
    const { isOpen, allowed, denied, unsettled } = this;
    const { words } = this.masks;
    for (let w = 0, a = from * words, b = to * words; w < words; w++, a++, b++) {
      isOpen[b] = isOpen[a]!;
      allowed[b] = allowed[a]!;
      denied[b] = denied[a]!;
    }
    unsettled[to] = unsettled[from]!;
  }

  useStep(step: Step): void {
    this.mask = this.masks.of(portsOf(step));
    this.effect = effectOf(step);
  }

  take(at: number): boolean {
    const { isOpen, allowed, denied, mask, effect } = this;
    const words = mask.length;
    let taken = 0;
    let left = 0;
    for (let w = 0, i = at * words; w < words; w++, i++) {
      const now = isOpen[i]! & mask[w]!;
      isOpen[i]! ^= now;
      taken |= now;
      left |= isOpen[i]!;
      if (effect === "Allow") allowed[i]! |= now;
      else if (effect === "Deny") denied[i]! |= now;
    }
    if (taken === 0 || effect === "Allow" || effect === "Deny" || effect === "Pass") return left === 0;
    this.unsettled[at] = effect === "Undecided" ? undecided : uncertain;
    return true;
  }

  isolate(at: number): void {
    const { isOpen, denied } = this;
    const { words } = this.masks;
    for (let w = 0, i = at * words; w < words; w++, i++) {
      denied[i]! |= isOpen[i]!;
      isOpen[i] = 0;
    }
  }

  /** What was passed is neither allowed nor denied. */
  nextTier(at: number): boolean {
    const { isOpen, allowed, denied } = this;
    const { words } = this.masks;
    let left = 0;
    for (let w = 0, i = at * words; w < words; w++, i++) {
      isOpen[i] = ~(allowed[i]! | denied[i]!);
      left |= isOpen[i]!;
    }
    return left === 0 || this.unsettled[at] !== silent;
  }

  /** After the last tier: what no tier denied is allowed (S1.3). */
  outcome(at: number): OutcomeId {
    if (this.unsettled[at] !== silent) return this.unsettled[at]!;
    const { denied, masks, outcomeOf } = this;
    const { key } = this.found;
    let differences = 0;
    for (let w = 0, i = at * masks.words; w < masks.words; w++, i++) {
      differences |= key[w]! ^ denied[i]!;
      key[w] = denied[i]!;
    }
    // Neighbours are often alike.
    if (differences !== 0 || this.lastOutcome === undefined)
      this.lastOutcome = outcomeOf[this.found.find()] ??= this.outcomes.of(noPorts, masks.setOf(key, 0));
    return this.lastOutcome;
  }
}
