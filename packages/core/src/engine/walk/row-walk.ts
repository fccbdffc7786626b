import type { Item } from "../compile/rule-items.js";
import type { Cells } from "./cells.js";
import type { Layout, PlacedSet } from "./layout.js";
import { type OutcomeId, silent } from "./outcomes.js";

/** The rules of one tier that apply to a row. */
export interface TierItems {
  readonly items: readonly Item[];
  readonly isIsolated: boolean;
}

/**
 * Walks the rules of a row past all columns of a layout at once. One cell, behind those of the columns, serves all
 * columns of a kind until a rule singles a column out: the cost is that of the columns that rules single out.
 */
export class RowWalk {
  /** A bit for each column that has a cell of its own, and for each that is wanted and not final. */
  protected readonly touched: Uint32Array;
  protected readonly live: Uint32Array;
  protected readonly isFinalKind: Uint8Array;
  /** Whether a rule of the tier may have passed something. */
  private hasPassed = false;
  protected readonly everyColumn: Uint32Array;
  protected readonly width: number;

  constructor(
    protected readonly layout: Layout,
    private readonly cells: Cells,
    /** By kind, whether isolation does not apply to it (S1.6). */
    private readonly isExemptKind: readonly boolean[],
  ) {
    this.width = layout.columns;
    const words = (this.width + 31) >>> 5;
    this.touched = new Uint32Array(words);
    this.live = new Uint32Array(words);
    this.isFinalKind = new Uint8Array(layout.kinds);
    this.everyColumn = new Uint32Array(words).fill(0xffffffff);
  }

  /** Whether the layout still has the columns that it had. */
  get isCurrent(): boolean {
    return this.width === this.layout.columns;
  }

  /** What all tiers together say to the columns that are wanted, by bit; `silent` is written for the others. */
  walkTiers(tiers: readonly TierItems[], into: Uint32Array, wanted = this.everyColumn): void {
    const { cells, touched, width } = this;
    const { kindOf } = this.layout;
    this.begin(wanted);
    for (const tier of tiers) {
      if (this.hasPassed) this.nextTier(wanted);
      this.takeAll(tier);
    }
    into.fill(silent);
    const shared = this.outcomesOfKinds();
    for (let column = 0; column < width; column++) {
      const word = column >>> 5;
      const bit = 1 << (column & 31);
      if ((wanted[word]! & bit) === 0) continue;
      into[column] = (touched[word]! & bit) === 0 ? shared[kindOf[column]!]! : cells.outcome(column);
    }
  }

  protected begin(wanted: Uint32Array): void {
    this.cells.open(this.width, this.width + this.layout.kinds);
    this.isFinalKind.fill(0);
    this.hasPassed = false;
    this.touched.fill(0);
    this.live.set(wanted);
  }

  private takeAll({ items, isIsolated }: TierItems): void {
    for (let i = 0; i < items.length; i++) this.takeItem(items[i]!);
    if (isIsolated) this.isolate();
  }

  protected takeItem({ step, rule, set }: Item): void {
    this.cells.useStep(step);
    if (rule.action === "Pass") this.hasPassed = true;
    this.take(this.layout.of(set));
  }

  // S1.1
  private take({ wholeKinds, wordAt, words }: PlacedSet): void {
    const { live } = this;
    for (const kind of wholeKinds) this.takeFromKind(kind);
    for (let i = 0; i < wordAt.length; i++) {
      const at = wordAt[i]!;
      for (let word = words[i]! & live[at]!; word !== 0; word &= word - 1) this.takeFrom(at, word & -word);
    }
  }

  private takeFrom(word: number, bit: number): void {
    const { cells, touched, live, width } = this;
    const column = (word << 5) + 31 - Math.clz32(bit);
    if ((touched[word]! & bit) === 0) {
      const kind = this.layout.kindOf[column]!;
      if (this.isFinalKind[kind] === 1) return;
      cells.copy(width + kind, column);
      touched[word]! |= bit;
    }
    if (cells.take(column)) live[word]! ^= bit;
  }

  private takeFromKind(kind: number): void {
    const { cells, touched, live, isFinalKind, width } = this;
    const { kindOf, minor } = this.layout;
    if (isFinalKind[kind] === 0 && cells.take(width + kind)) isFinalKind[kind] = 1;
    for (let w = 0; w < touched.length; w++) {
      const ofKind = kind === 0 ? ~minor[w]! : minor[w]!;
      for (let word = touched[w]! & live[w]! & ofKind; word !== 0; word &= word - 1) {
        const bit = word & -word;
        const column = (w << 5) + 31 - Math.clz32(bit);
        if (kindOf[column] === kind && cells.take(column)) live[w]! ^= bit;
      }
    }
  }

  // S1.2
  protected isolate(): void {
    const { cells, touched, width, isExemptKind } = this;
    const { kindOf, kinds } = this.layout;
    for (let kind = 0; kind < kinds; kind++) if (!isExemptKind[kind]!) cells.isolate(width + kind);
    for (let w = 0; w < touched.length; w++)
      for (let word = touched[w]!; word !== 0; word &= word - 1) {
        const column = (w << 5) + 31 - Math.clz32(word & -word);
        if (!isExemptKind[kindOf[column]!]!) cells.isolate(column);
      }
  }

  // S1.3: where nothing was passed, the same is open as before.
  private nextTier(wanted: Uint32Array): void {
    const { cells, touched, live, width } = this;
    this.hasPassed = false;
    for (let kind = 0; kind < this.layout.kinds; kind++)
      this.isFinalKind[kind] = cells.nextTier(width + kind) ? 1 : 0;
    live.set(wanted);
    for (let w = 0; w < touched.length; w++)
      for (let word = touched[w]!; word !== 0; word &= word - 1) {
        const bit = word & -word;
        if (cells.nextTier((w << 5) + 31 - Math.clz32(bit))) live[w]! &= ~bit;
      }
  }

  protected outcomesOfKinds(): readonly OutcomeId[] {
    return Array.from({ length: this.layout.kinds }, (_, kind) => this.cells.outcome(this.width + kind));
  }
}
