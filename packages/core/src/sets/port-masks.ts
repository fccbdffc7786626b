import { everyPort, type PortSetId, type PortSets } from "./port-sets.js";

/*
 * The port sets of some rules cut all ports into atoms, each of which every set holds wholly or not at all. Within these
 * rules a set of ports is a mask with one bit for each atom, and operations on sets are operations on a few words.
 */
export class PortMasks {
  /** Words in a mask. */
  readonly words: number;
  /** Where the intervals begin, ascending, and the atom that each belongs to. */
  private readonly starts: Uint32Array;
  private readonly atomOf: Uint32Array;
  private readonly masks = new Map<PortSetId, Uint32Array>();

  constructor(
    private readonly ports: PortSets,
    sets: ReadonlySet<PortSetId>,
  ) {
    const borders = new Set([0]);
    for (const set of sets) for (const border of ports.bordersOf(set)) borders.add(border);
    borders.delete(ports.end);
    this.starts = Uint32Array.from(borders).toSorted();
    // Intervals that are in the same sets are one atom.
    const membership: string[] = Array.from(this.starts, () => "");
    for (const set of sets) for (const interval of this.intervalsIn(set)) membership[interval] += `${set} `;
    const atoms = new Map<string, number>();
    for (const sets of membership) if (!atoms.has(sets)) atoms.set(sets, atoms.size);
    this.atomOf = Uint32Array.from(membership, (sets) => atoms.get(sets)!);
    this.words = (atoms.size + 31) >>> 5;
    for (const set of sets) this.masks.set(set, this.compute(set));
  }

  /** Of one of the sets that the atoms were made for. */
  of(set: PortSetId): Uint32Array {
    return this.masks.get(set)!;
  }

  /** The ports of the mask that begins at a position. */
  setOf(masks: Uint32Array, position: number): PortSetId {
    const borders: number[] = [];
    let inside = false;
    for (const [interval, start] of this.starts.entries()) {
      const atom = this.atomOf[interval]!;
      const isIn = ((masks[position + (atom >>> 5)]! >>> (atom & 31)) & 1) === 1;
      if (isIn !== inside) borders.push(start);
      inside = isIn;
    }
    if (inside) borders.push(this.ports.end);
    return this.ports.import(Uint32Array.from(borders));
  }

  private compute(set: PortSetId): Uint32Array {
    const mask = new Uint32Array(this.words);
    // With the bits that are no atom, so that it leaves nothing of a mask in which every bit is set.
    if (set === everyPort) return mask.fill(0xffffffff);
    for (const interval of this.intervalsIn(set)) {
      const atom = this.atomOf[interval]!;
      mask[atom >>> 5]! |= 1 << (atom & 31);
    }
    return mask;
  }

  private intervalsIn(set: PortSetId): readonly number[] {
    const borders = this.ports.bordersOf(set);
    const found: number[] = [];
    let passed = 0;
    for (const [interval, start] of this.starts.entries()) {
      while (passed < borders.length && borders[passed]! <= start) passed++;
      if ((passed & 1) === 1) found.push(interval);
    }
    return found;
  }
}
