import { ColumnWindow } from "../walk/column-window.js";
import { DirectionWalk } from "../walk/direction-walk.js";
import type { EndGroup } from "./end-groups.js";
import type { EndClass } from "../classes/ends.js";
import { MaskTable, type PortAtoms } from "../compile/port-atoms.js";
import type { View } from "../compile/view.js";
import { waysThrough } from "./ways.js";

/** The number of the mask that holds no port. */
export const noMask = 0;
/** Stands for what hangs on facts that are not known. */
export const unknownMask = 0xffffffff;

/** What pods let in from some columns: the numbers of masks, for a tile of columns at a time. */
export class Ingress {
  /** By pod, the number of its way through the tiers. */
  readonly wayOf: Uint32Array;
  /** What the numbers stand for. */
  readonly masks: MaskTable;
  /** A class for each way. */
  private readonly subjects: readonly EndClass[];

  constructor(
    private readonly view: View,
    pods: readonly EndGroup[],
    private readonly atoms: PortAtoms,
    /** How many numbers a tile may have. */
    private readonly tileSize: number,
  ) {
    const { wayOf, firsts } = waysThrough(view.layers.ingress, pods);
    this.wayOf = wayOf;
    this.subjects = firsts;
    this.masks = new MaskTable(atoms.width);
    // The first that is looked for gets `noMask`.
    this.masks.find();
  }

  /** From these columns, best asked for in their order. */
  from(columns: Uint32Array): IngressTiles {
    const ways = this.subjects.length;
    const width = Math.max(1, Math.floor(this.tileSize / Math.max(1, ways)));
    return new IngressTiles(columns, ways, width, (part) => this.tile(part));
  }

  /** For each column, by way, the number of the mask. */
  private tile(columns: Uint32Array): Uint32Array {
    const window = new ColumnWindow(this.view.ends, columns);
    const walk = new DirectionWalk("ingress", this.view.layers.ingress, window, this.atoms);
    const ways = this.subjects.length;
    const numbers = new Uint32Array(window.size * ways);
    for (const [way, subject] of this.subjects.entries()) {
      walk.walk(subject);
      for (let column = 0, at = way; column < window.size; column++, at += ways) {
        walk.readAllowed(column, this.masks.key);
        numbers[at] = walk.isUncertain(column) ? unknownMask : this.masks.find();
      }
    }
    return numbers;
  }
}

/** Makes tiles when they are first asked for, and keeps the last. */
export class IngressTiles {
  private tile: { readonly first: number; readonly numbers: Uint32Array } | undefined;

  constructor(
    private readonly columns: Uint32Array,
    private readonly ways: number,
    /** How many columns a tile has. */
    private readonly width: number,
    private readonly make: (columns: Uint32Array) => Uint32Array,
  ) {}

  /** What is let in from the i-th of the columns, by way. */
  at(i: number): Uint32Array {
    const first = i - (i % this.width);
    if (this.tile?.first !== first) {
      // The room of one is given back before the next is made.
      this.tile = undefined;
      this.tile = { first, numbers: this.make(this.columns.subarray(first, first + this.width)) };
    }
    const start = (i - first) * this.ways;
    return this.tile.numbers.subarray(start, start + this.ways);
  }
}
