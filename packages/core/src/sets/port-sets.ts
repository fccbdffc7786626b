import { PairMemo } from "./pair-memo.js";
import type { Protocol } from "../policy/model.js";

/*
 * Sets of ports of all protocols, each distinct one held once and known by a number. All ports lie on one line,
 *
 *   TCP 0…65535 | UDP 0…65535 | SCTP 0…65535 | ICMP
 *
 * and a set is the sorted list of points where it begins and ends. Operations on the same pair of sets are computed
 * once: a cluster has few distinct port sets, however many rules and pods it has.
 */

export type PortSetId = number;

export const offsets: Readonly<Record<Protocol, number>> = { TCP: 0, UDP: 65536, SCTP: 131072, ICMP: 196608 };
const end = 196609;

/** Protocol and port of a point on the line. */
export function portAt(point: number): { readonly protocol: Protocol; readonly port: number } {
  if (point >= offsets.ICMP) return { protocol: "ICMP", port: 0 };
  const protocol = point >= offsets.SCTP ? "SCTP" : point >= offsets.UDP ? "UDP" : "TCP";
  return { protocol, port: point - offsets[protocol] };
}

export const noPorts: PortSetId = 0;
export const everyPort: PortSetId = 1;

type Combine = (a: boolean, b: boolean) => boolean;

export class PortSets {
  /** The borders of all sets, one set after the other: there can be hundreds of thousands of sets. */
  private borders: Uint32Array = new Uint32Array(1024);
  /** Where the borders of each set begin, and behind the last set. */
  private starts: Uint32Array = new Uint32Array(256);
  private count = 0;
  /** A hash table with open addressing of the sets by their borders: one more than the number, or 0. */
  private table = new Uint32Array(512);
  private scratch = new Uint32Array(64);
  private readonly unions = this.memo((x, y) => x || y);
  private readonly differences = this.memo((x, y) => x && !y);
  private readonly intersections = this.memo((x, y) => x && y);

  constructor() {
    this.import(new Uint32Array(0));
    this.import(Uint32Array.of(0, end));
  }

  /** Behind the last port. */
  readonly end = end;

  get size(): number {
    return this.count;
  }

  /** Where the set begins and ends, again and again, on the line of all ports. */
  bordersOf(id: PortSetId): Uint32Array {
    return this.borders.subarray(this.starts[id], this.starts[id + 1]);
  }

  /** The same set, which another collection knows by another number. */
  import(borders: ArrayLike<number>): PortSetId {
    this.reserve(borders.length);
    this.scratch.set(borders);
    return this.intern(borders.length);
  }

  /** The ports `first` to `last` of a protocol. */
  range(protocol: Protocol, first: number, last: number): PortSetId {
    const offset = offsets[protocol];
    return this.import([offset + first, offset + last + 1]);
  }

  /** All of these ranges, in any order, as [first, behind the last] on the line. */
  ofRanges(ranges: readonly (readonly [from: number, to: number])[]): PortSetId {
    const sorted = ranges.length > 1 ? ranges.toSorted((a, b) => a[0] - b[0]) : ranges;
    const borders: number[] = [];
    for (const [from, to] of sorted) {
      const last = borders.length - 1;
      if (last >= 0 && from <= borders[last]!) borders[last] = Math.max(borders[last]!, to);
      else borders.push(from, to);
    }
    return this.import(borders);
  }

  union(a: PortSetId, b: PortSetId): PortSetId {
    if (a === b || b === noPorts || a === everyPort) return a;
    if (a === noPorts || b === everyPort) return b;
    return a < b ? this.unions.of(a, b) : this.unions.of(b, a);
  }

  intersect(a: PortSetId, b: PortSetId): PortSetId {
    if (a === b || b === everyPort || a === noPorts) return a;
    if (a === everyPort || b === noPorts) return b;
    return a < b ? this.intersections.of(a, b) : this.intersections.of(b, a);
  }

  subtract(a: PortSetId, b: PortSetId): PortSetId {
    if (a === b || a === noPorts || b === everyPort) return noPorts;
    return b === noPorts ? a : this.differences.of(a, b);
  }

  contains(id: PortSetId, protocol: Protocol, port: number): boolean {
    if (id <= everyPort) return id === everyPort;
    const at = offsets[protocol] + (protocol === "ICMP" ? 0 : port);
    const { borders, starts } = this;
    const first = starts[id]!;
    let [low, high] = [first, starts[id + 1]!];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (borders[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    // Borders at an even position begin an interval of the set.
    return ((low - first) & 1) === 1;
  }

  /** The ranges of a protocol's ports that are in the set; port 0 does not exist. */
  ranges(id: PortSetId, protocol: Protocol): readonly (readonly [first: number, last: number])[] {
    const offset = offsets[protocol];
    const limit = protocol === "ICMP" ? offset + 1 : offset + 65536;
    const borders = this.bordersOf(id);
    const found: [number, number][] = [];
    for (let i = 0; i < borders.length; i += 2) {
      const first = Math.max(borders[i]!, protocol === "ICMP" ? offset : offset + 1);
      const last = Math.min(borders[i + 1]!, limit) - 1;
      if (first <= last) found.push([first - offset, last - offset]);
    }
    return found;
  }

  private memo(combine: Combine): PairMemo {
    return new PairMemo((a, b) => this.intern(this.sweep(a, b, combine)));
  }

  /** Walks the borders of both sets at once and keeps those at which the combination changes. Returns how many. */
  private sweep(a: PortSetId, b: PortSetId, combine: Combine): number {
    const { borders, starts } = this;
    const [firstA, endA, firstB, endB] = [starts[a]!, starts[a + 1]!, starts[b]!, starts[b + 1]!];
    this.reserve(endA - firstA + endB - firstB);
    const { scratch } = this;
    let [i, j, count] = [firstA, firstB, 0];
    let inside = false;
    while (i < endA || j < endB) {
      const [x, y] = [i < endA ? borders[i]! : behind, j < endB ? borders[j]! : behind];
      const at = x < y ? x : y;
      if (x === at) i++;
      if (y === at) j++;
      if (combine(((i - firstA) & 1) === 1, ((j - firstB) & 1) === 1) === inside) continue;
      inside = !inside;
      scratch[count++] = at;
    }
    return count;
  }

  private reserve(length: number): void {
    if (this.scratch.length < length) this.scratch = new Uint32Array(2 * length);
  }

  /** The number of the set whose borders are the first so many in `scratch`. */
  private intern(length: number): PortSetId {
    const { scratch } = this;
    const last = this.table.length - 1;
    let at = hashOf(scratch, 0, length) & last;
    for (; this.table[at] !== 0; at = (at + 1) & last)
      if (this.hasBorders(this.table[at]! - 1, length)) return this.table[at]! - 1;
    const id = this.count++;
    const start = this.starts[id]!;
    if (id + 2 > this.starts.length) this.starts = longer(this.starts, id + 2);
    if (start + length > this.borders.length) this.borders = longer(this.borders, start + length);
    this.borders.set(scratch.subarray(0, length), start);
    this.starts[id + 1] = start + length;
    this.table[at] = id + 1;
    if (this.count * 2 > this.table.length) this.growTable();
    return id;
  }

  private hasBorders(id: PortSetId, length: number): boolean {
    const { borders, scratch } = this;
    const start = this.starts[id]!;
    if (this.starts[id + 1]! - start !== length) return false;
    for (let i = 0; i < length; i++) if (borders[start + i] !== scratch[i]) return false;
    return true;
  }

  private growTable(): void {
    const table = new Uint32Array(this.table.length * 2);
    const last = table.length - 1;
    for (let id = 0; id < this.count; id++) {
      let at = hashOf(this.borders, this.starts[id]!, this.starts[id + 1]!) & last;
      while (table[at] !== 0) at = (at + 1) & last;
      table[at] = id + 1;
    }
    this.table = table;
  }
}

/** Behind all borders. */
const behind = 0xffffffff;

function longer(array: Uint32Array, atLeast: number): Uint32Array {
  const made = new Uint32Array(Math.max(2 * array.length, atLeast));
  made.set(array);
  return made;
}

function hashOf(borders: Uint32Array, from: number, to: number): number {
  let hash = 2166136261;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ borders[i]!, 16777619);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The intervals of a set of ports, cut at all points within them. */
export function* cutAt(borders: Uint32Array, points: readonly number[]): Iterable<readonly [number, number]> {
  for (let i = 0; i < borders.length; i += 2) {
    const [first, behind] = [borders[i]!, borders[i + 1]!];
    const within = new Set([first, ...points.filter((point) => point > first && point < behind)]);
    const starts = [...within].toSorted((a, b) => a - b);
    for (const [k, start] of starts.entries()) yield [start, starts[k + 1] ?? behind];
  }
}
