import { bitsFor, mark } from "../../sets/column-bits.js";
import type { ColumnSet } from "../../sets/column-sets.js";
import type { Ends } from "../classes/ends.js";
import { ofHost, ofPod, ownHost } from "../compile/rule-items.js";

/** A set as a window sees it: kinds of columns that it holds wholly, and of the others the words that are not 0. */
export interface WindowSet {
  readonly wholeKinds: readonly number[];
  /** Where the words stand. Mostly few: columns of a namespace are next to each other. */
  readonly at: Uint32Array;
  readonly words: Uint32Array;
}

/** Some of the columns inside a cluster, numbered anew, and where sets of columns lie among them. */
export class ColumnWindow {
  readonly size: number;
  readonly kinds = 3;
  /** By column of the window. Rules often speak of all columns of a kind. */
  readonly kindOf: Uint8Array;
  /** How many columns of each kind there are. */
  readonly sizes: Uint32Array;
  /** By column of the cluster. */
  private readonly numberOf: Int32Array;
  private readonly placed: (WindowSet | undefined)[] = [];

  constructor(ends: Ends, columns: Uint32Array) {
    this.size = columns.length;
    this.kindOf = Uint8Array.from(columns, (column) => kindAt(ends, column));
    this.sizes = new Uint32Array(this.kinds);
    for (const kind of this.kindOf) this.sizes[kind]!++;
    this.numberOf = new Int32Array(ends.columns).fill(outside);
    for (const [number, column] of columns.entries()) this.numberOf[column] = number;
  }

  of(set: ColumnSet): WindowSet {
    return (this.placed[set.id] ??= this.place(set));
  }

  private place({ members: all }: ColumnSet): WindowSet {
    const members = Int32Array.from(all, (column) => this.numberOf[column]!).filter((n) => n !== outside);
    const counts = new Uint32Array(this.kinds);
    for (const number of members) counts[this.kindOf[number]!]!++;
    const isWhole = Array.from(counts, (count, kind) => count > 0 && count === this.sizes[kind]);
    const bits = bitsFor(this.size);
    for (const number of members) if (!isWhole[this.kindOf[number]!]!) mark(bits, number);
    const at = Uint32Array.from(bits.keys()).filter((word) => bits[word] !== 0);
    return {
      wholeKinds: isWhole.flatMap((whole, kind) => (whole ? kind : [])),
      at,
      words: at.map((word) => bits[word]!),
    };
  }
}

const outside = -1;

function kindAt(ends: Ends, column: number): number {
  if (ends.classes[ends.classOfColumn[column]!]!.kind === "pod") return ofPod;
  return ends.isOwnColumn[column]! ? ownHost : ofHost;
}
