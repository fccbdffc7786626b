import { ColumnWindow } from "./column-window.js";
import { DirectionWalk } from "./direction-walk.js";
import type { EndGroup } from "./end-groups.js";
import type { EndClass } from "./ends.js";
import { MaskTable, type PortAtoms } from "./port-atoms.js";
import type { View } from "./view.js";
import { waysThrough } from "./ways.js";

/** The number of the mask that holds no port. */
export const noMask = 0;
/** Stands for what hangs on facts that are not known. */
export const unknownMask = 0xffffffff;

/** What pods let in, computed for some sources at a time. */
export class Ingress {
  /** By pod, the number of its way through the tiers. */
  readonly wayOf: Uint32Array;
  /** What the numbers in tiles stand for. */
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

  /** How many columns fit in a tile. */
  get tileWidth(): number {
    return Math.max(1, Math.floor(this.tileSize / Math.max(1, this.subjects.length)));
  }

  tile(columns: Uint32Array): IngressTile {
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
    return new IngressTile(numbers, ways);
  }
}

/** For each column of a window, the numbers of the masks of what is let in from it. */
export class IngressTile {
  constructor(
    private readonly numbers: Uint32Array,
    private readonly ways: number,
  ) {}

  /** By way through the tiers. */
  from(column: number): Uint32Array {
    return this.numbers.subarray(column * this.ways, (column + 1) * this.ways);
  }
}
