import { type OutcomeId, type Outcomes } from "./outcomes.js";
import { everyPort, type PortSetId, type PortSets } from "../../sets/port-sets.js";

/*
 * The port sets of some rules cut all ports into atoms, which each of them holds wholly or not at all. Within these rules
 * a set of ports is a mask, a bit for each atom, and going through rules is a matter of a few words; sets are made
 * from masks only for what comes out at the end.
 */
export class PortAtoms {
  /** Words in a mask. */
  readonly width: number;
  /** The mask of all ports. */
  readonly all: Uint32Array;
  /** Where the intervals begin, ascending, and the atom that each belongs to. */
  private readonly starts: Uint32Array;
  private readonly atomOf: Uint32Array;
  private readonly masks = new Map<PortSetId, Uint32Array>();
  private readonly found: MaskTable;
  /** Of the key that `found` was asked for last. */
  private lastOutcome: OutcomeId | undefined;

  constructor(
    sets: Iterable<PortSetId>,
    private readonly ports: PortSets,
    private readonly outcomes: Outcomes,
  ) {
    const ids = [...new Set(sets)];
    const starts = new Set([0]);
    for (const id of ids) for (const border of ports.bordersOf(id)) starts.add(border);
    starts.delete(ports.end);
    this.starts = Uint32Array.from(starts).toSorted();
    this.atomOf = new Uint32Array(this.starts.length);
    const atoms = this.numberAtoms(ids);
    this.width = Math.max(1, (atoms + 31) >>> 5);
    this.all = new Uint32Array(this.width);
    for (let atom = 0; atom < atoms; atom++) this.all[atom >>> 5]! |= 1 << (atom & 31);
    for (const id of ids) this.masks.set(id, this.maskOf(id));
    this.found = new MaskTable(2 * this.width);
  }

  mask(id: PortSetId): Uint32Array {
    return this.masks.get(id)!;
  }

  /** The outcome of a column whose masks of allowed and denied ports begin at `at`. */
  outcome(allow: Uint32Array, deny: Uint32Array, at: number): OutcomeId {
    const { width, found } = this;
    const { key } = found;
    // Neighbours are often alike.
    let differs = this.lastOutcome === undefined ? 1 : 0;
    for (let w = 0; w < width; w++) differs |= (key[w]! ^ allow[at + w]!) | (key[width + w]! ^ deny[at + w]!);
    if (differs === 0) return this.lastOutcome!;
    for (let w = 0; w < width; w++) {
      key[w] = allow[at + w]!;
      key[width + w] = deny[at + w]!;
    }
    const entry = found.find();
    this.lastOutcome = found.values[entry] ?? this.addOutcome(entry);
    return this.lastOutcome;
  }

  private addOutcome(entry: number): OutcomeId {
    const { key } = this.found;
    const made = this.outcomes.of(this.setOf(key, 0), this.setOf(key, this.width));
    this.found.values[entry] = made;
    return made;
  }

  /** Intervals that are in the same sets are one atom; each set splits those that it holds a part of. */
  private numberAtoms(ids: readonly PortSetId[]): number {
    let count = 1;
    for (const id of ids) {
      const split = new Map<number, { inside: number; outside: number }>();
      const members = this.intervalsIn(id);
      let next = 0;
      const atoms = this.atomOf.slice();
      for (let i = 0; i < atoms.length; i++) {
        const isIn = members[next] === i;
        if (isIn) next++;
        const known = split.get(atoms[i]!) ?? { inside: -1, outside: -1 };
        split.set(atoms[i]!, known);
        const side = isIn ? "inside" : "outside";
        const other = isIn ? known.outside : known.inside;
        if (known[side] === -1) known[side] = other === -1 ? atoms[i]! : count++;
        this.atomOf[i] = known[side];
      }
    }
    return count;
  }

  private intervalsIn(id: PortSetId): readonly number[] {
    const found: number[] = [];
    const borders = this.ports.bordersOf(id);
    let inside = 0;
    for (let i = 0; i < this.starts.length; i++) {
      while (inside < borders.length && borders[inside]! <= this.starts[i]!) inside++;
      if ((inside & 1) === 1) found.push(i);
    }
    return found;
  }

  private maskOf(id: PortSetId): Uint32Array {
    const mask = new Uint32Array(this.width);
    // With the bits that stand for no atom, so that nothing is left open of a mask that begins with all bits.
    if (id === everyPort) return mask.fill(0xffffffff);
    for (const i of this.intervalsIn(id)) mask[this.atomOf[i]! >>> 5]! |= 1 << (this.atomOf[i]! & 31);
    return mask;
  }

  /** The ports of a mask that begins at `at`. */
  setOf(mask: Uint32Array, at: number): PortSetId {
    const borders: number[] = [];
    let inside = false;
    for (let i = 0; i < this.starts.length; i++) {
      const atom = this.atomOf[i]!;
      const isIn = ((mask[at + (atom >>> 5)]! >>> (atom & 31)) & 1) === 1;
      if (isIn !== inside) borders.push(this.starts[i]!);
      inside = isIn;
    }
    if (inside) borders.push(this.ports.end);
    return this.ports.import(Uint32Array.from(borders));
  }
}

/** Numbers rows of words by what they hold, in the order in which they come. Equal hashes are compared. */
export class MaskTable {
  /** What is looked for next. */
  readonly key: Uint32Array;
  readonly values: number[] = [];
  private entries: Uint32Array;
  private slots = new Int32Array(64).fill(empty);
  private count = 0;

  constructor(
    private readonly width: number,
    private readonly hash: (words: Uint32Array) => number = hashWords,
  ) {
    this.key = new Uint32Array(width);
    this.entries = new Uint32Array(64 * width);
  }

  /** What the numbers stand for, one behind the other. Good until something is found that is new. */
  get words(): Uint32Array {
    return this.entries;
  }

  /** The number of the key; a new one if it was not there. */
  find(): number {
    if (this.count * 2 >= this.slots.length) this.grow();
    const mask = this.slots.length - 1;
    for (let slot = this.hash(this.key) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.slots[slot]!;
      if (entry === empty) {
        this.slots[slot] = this.count;
        this.entries.set(this.key, this.count * this.width);
        return this.count++;
      }
      if (this.holds(entry)) return entry;
    }
  }

  private holds(entry: number): boolean {
    for (let w = 0, at = entry * this.width; w < this.width; w++)
      if (this.entries[at + w] !== this.key[w]) return false;
    return true;
  }

  private grow(): void {
    const entries = new Uint32Array(this.entries.length * 2);
    entries.set(this.entries);
    this.entries = entries;
    this.slots = new Int32Array(this.slots.length * 2).fill(empty);
    const mask = this.slots.length - 1;
    for (let entry = 0; entry < this.count; entry++) {
      let slot = this.hash(entries.subarray(entry * this.width, (entry + 1) * this.width)) & mask;
      while (this.slots[slot] !== empty) slot = (slot + 1) & mask;
      this.slots[slot] = entry;
    }
  }
}

const empty = -1;

function hashWords(words: Uint32Array): number {
  let hash = 0;
  for (let w = 0; w < words.length; w++) {
    hash = Math.imul(hash ^ words[w]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
