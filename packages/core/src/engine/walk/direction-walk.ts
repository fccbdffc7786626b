import type { Direction } from "../../policy/model.js";
import { bitsFor, has, mark, unmark } from "../../sets/column-bits.js";
import type { ColumnWindow, WindowSet } from "./column-window.js";
import type { EndClass } from "../classes/ends.js";
import type { Layer } from "../compile/layer.js";
import type { PortAtoms } from "../compile/port-atoms.js";
import { type Effect, ownHost } from "../compile/rule-items.js";

/**
 * The way of one subject through all tiers of a direction, for many columns at once, with masks of ports for each.
 * What is said to all columns of a kind is kept once, behind the columns, and copied to one when it is first said
 * something of its own. Nothing is kept of one walk when the next begins.
 */
export class DirectionWalk {
  /** Ports that the tier may still decide, those that no tier has decided, and those that are denied. */
  private readonly open: Uint32Array;
  private readonly left: Uint32Array;
  private readonly deny: Uint32Array;
  /** By kind, the columns that were singled out, and before them the one that stands for all others of the kind. */
  private readonly touched: readonly Uint32Array[];
  private readonly touchedCounts: Uint32Array;
  /** A bit for each column that was singled out, and for each that has open ports. */
  private readonly isTouched: Uint32Array;
  private readonly live: Uint32Array;
  private readonly uncertain: Uint8Array;
  private readonly everyColumn: Uint32Array;
  private hasPassed = false;

  constructor(
    private readonly direction: Direction,
    private readonly layers: readonly Layer[],
    readonly window: ColumnWindow,
    private readonly atoms: PortAtoms,
  ) {
    const all = window.size + window.kinds;
    this.open = new Uint32Array(all * atoms.width);
    this.left = new Uint32Array(all * atoms.width);
    this.deny = new Uint32Array(all * atoms.width);
    this.touched = Array.from(window.sizes, (size, kind) =>
      new Uint32Array(size + 1).fill(window.size + kind),
    );
    this.touchedCounts = new Uint32Array(window.kinds);
    this.isTouched = bitsFor(all);
    this.live = bitsFor(all);
    this.uncertain = new Uint8Array(all);
    this.everyColumn = bitsFor(all).fill(0xffffffff);
  }

  /** Past all columns, or only those that somebody wants to know about; of the others nothing can be said then. */
  walk(subject: EndClass, wanted = this.everyColumn): void {
    const { window, atoms } = this;
    this.begin(wanted);
    for (const { rows, inside } of this.layers) {
      const row = rows.rows[rows.rowOf[subject.index]!]!;
      // S1.3: what was passed is open again.
      if (this.hasPassed) this.reopen(wanted);
      for (const { set, ports, effect } of inside.itemsOf(row))
        this.take(window.of(set), atoms.mask(ports), effect);
      if (row.isolation.length > 0) this.isolate();
    }
    this.spread();
  }

  /** S1.3: what was not denied to a column is allowed. Writes the mask of it. */
  readAllowed(column: number, into: Uint32Array): void {
    const { deny } = this;
    const { width, all } = this.atoms;
    for (let w = 0, at = column * width; w < width; w++, at++) into[w] = all[w]! & ~deny[at]!;
  }

  /** By column of the window, the mask of what it is denied. Good until the next walk. */
  get denied(): Uint32Array {
    return this.deny;
  }

  /** Whether what is said to a column hangs on facts that are not known. */
  isUncertain(column: number): boolean {
    return this.uncertain[column] === 1;
  }

  private begin(wanted: Uint32Array): void {
    const { window, atoms } = this;
    for (let kind = 0, at = window.size * atoms.width; kind < window.kinds; kind++, at += atoms.width) {
      this.open.set(atoms.all, at);
      this.left.set(atoms.all, at);
    }
    this.deny.fill(0, window.size * atoms.width);
    this.uncertain.fill(0, window.size);
    this.enliven(wanted);
    this.isTouched.fill(0);
    this.touchedCounts.fill(1);
    this.hasPassed = false;
  }

  // S1.1: a rule takes what is still open of its ports; settled columns are not looked at again.
  private take({ wholeKinds, at, words }: WindowSet, mask: Uint32Array, effect: Effect): void {
    const { live } = this;
    const doing = doings[effect];
    for (const kind of wholeKinds) this.takeFromKind(kind, mask, doing);
    for (let i = 0; i < at.length; i++) {
      const first = at[i]! << 5;
      for (let word = words[i]! & live[at[i]!]!; word !== 0; word &= word - 1)
        this.takeFrom(first + 31 - Math.clz32(word & -word), mask, doing);
    }
  }

  private takeFromKind(kind: number, mask: Uint32Array, doing: number): void {
    const touched = this.touched[kind]!;
    const count = this.touchedCounts[kind]!;
    for (let i = 0; i < count; i++) if (has(this.live, touched[i]!)) this.settle(touched[i]!, mask, doing);
  }

  private takeFrom(column: number, mask: Uint32Array, doing: number): void {
    if (!has(this.isTouched, column)) {
      const kind = this.window.kindOf[column]!;
      if (!has(this.live, this.window.size + kind)) return unmark(this.live, column);
      this.touch(column, kind);
    }
    this.settle(column, mask, doing);
  }

  private touch(column: number, kind: number): void {
    const { open, left, deny } = this;
    const { width } = this.atoms;
    const shared = this.window.size + kind;
    for (let w = 0, to = column * width, from = shared * width; w < width; w++, to++, from++) {
      open[to] = open[from]!;
      left[to] = left[from]!;
      deny[to] = deny[from]!;
    }
    this.uncertain[column] = this.uncertain[shared]!;
    mark(this.isTouched, column);
    this.touched[kind]![this.touchedCounts[kind]!++] = column;
  }

  private settle(column: number, mask: Uint32Array, doing: number): void {
    const { open, left, deny } = this;
    const width = mask.length;
    let rest = 0;
    let taken = 0;
    for (let w = 0, at = column * width; w < width; w++, at++) {
      const before = open[at]!;
      const now = before & mask[w]!;
      taken |= now;
      rest |= before ^ now;
      open[at] = before ^ now;
      if (doing !== passing) left[at]! ^= now;
      if (doing === denying) deny[at]! |= now;
    }
    if (taken !== 0 && doing === passing) this.hasPassed = true;
    if (taken !== 0 && doing === doubting) {
      this.uncertain[column] = 1;
      rest = 0;
    }
    if (rest === 0) unmark(this.live, column);
  }

  /** S1.2: isolation denies what the rules of its tier left open; S1.6: but not to a pod's own node. */
  private isolate(): void {
    for (const [kind, touched] of this.touched.entries())
      if (this.direction === "egress" || kind !== ownHost)
        this.denyOpen(touched.subarray(0, this.touchedCounts[kind]));
  }

  private denyOpen(columns: Uint32Array): void {
    const { open, left, deny, live } = this;
    const { width } = this.atoms;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!;
      if (!has(live, column)) continue;
      for (let at = column * width; at < (column + 1) * width; at++) {
        const now = open[at]!;
        deny[at]! |= now;
        left[at]! ^= now;
        open[at] = 0;
      }
      unmark(live, column);
    }
  }

  private enliven(wanted: Uint32Array): void {
    this.live.set(wanted);
    for (let kind = 0; kind < this.window.kinds; kind++) mark(this.live, this.window.size + kind);
  }

  private reopen(wanted: Uint32Array): void {
    this.hasPassed = false;
    this.enliven(wanted);
    for (const [kind, touched] of this.touched.entries())
      this.openLeft(touched.subarray(0, this.touchedCounts[kind]));
  }

  private openLeft(columns: Uint32Array): void {
    const { open, left, live, uncertain } = this;
    const { width } = this.atoms;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!;
      let rest = 0;
      for (let at = column * width; at < (column + 1) * width; at++) rest |= open[at] = left[at]!;
      if (rest === 0 || uncertain[column] === 1) unmark(live, column);
    }
  }

  /** Gives the columns that were never singled out what was said to all of their kind. */
  private spread(): void {
    const { deny, uncertain, isTouched, window } = this;
    const { width } = this.atoms;
    for (let column = 0; column < window.size; column++) {
      if (has(isTouched, column)) continue;
      const shared = window.size + window.kindOf[column]!;
      for (let w = 0; w < width; w++) deny[column * width + w] = deny[shared * width + w]!;
      uncertain[column] = uncertain[shared]!;
    }
  }
}

const [allowing, denying, passing, doubting] = [0, 1, 2, 3];
/** Numbers are told apart faster than texts. */
const doings: Readonly<Record<Effect, number>> = {
  Allow: allowing,
  Deny: denying,
  Pass: passing,
  Maybe: doubting,
  Undecided: doubting,
};
