import { PairMemo } from "./pair-memo.js";
import { lastAtMost } from "./sorted.js";
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
  private readonly borders: Uint32Array[] = [];
  /** By a hash of the borders; sets with equal hashes are compared. */
  private readonly ids = new Map<number, PortSetId[]>();
  private readonly unions = this.memo((x, y) => x || y);
  private readonly differences = this.memo((x, y) => x && !y);
  private readonly intersections = this.memo((x, y) => x && y);

  constructor() {
    this.intern(new Uint32Array(0));
    this.intern(Uint32Array.of(0, end));
  }

  /** Behind the last port. */
  readonly end = end;

  get size(): number {
    return this.borders.length;
  }

  /** Where the set begins and ends, again and again, on the line of all ports. */
  bordersOf(id: PortSetId): Uint32Array {
    return this.borders[id]!;
  }

  /** The same set, which another collection knows by another number. */
  import(borders: Uint32Array): PortSetId {
    return this.intern(borders);
  }

  /** The ports `first` to `last` of a protocol. */
  range(protocol: Protocol, first: number, last: number): PortSetId {
    const offset = offsets[protocol];
    return this.intern(Uint32Array.of(offset + first, offset + last + 1));
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
    return this.intern(new Uint32Array(borders));
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
    const borders = this.borders[id]!;
    const at = offsets[protocol] + (protocol === "ICMP" ? 0 : port);
    // Borders at an even position begin an interval of the set.
    return (lastAtMost(borders, at) & 1) === 0;
  }

  /** The ranges of a protocol's ports that are in the set; port 0 does not exist. */
  ranges(id: PortSetId, protocol: Protocol): readonly (readonly [first: number, last: number])[] {
    const offset = offsets[protocol];
    const limit = protocol === "ICMP" ? offset + 1 : offset + 65536;
    const borders = this.borders[id]!;
    const found: [number, number][] = [];
    for (let i = 0; i < borders.length; i += 2) {
      const first = Math.max(borders[i]!, protocol === "ICMP" ? offset : offset + 1);
      const last = Math.min(borders[i + 1]!, limit) - 1;
      if (first <= last) found.push([first - offset, last - offset]);
    }
    return found;
  }

  private memo(combine: Combine): PairMemo {
    return new PairMemo((a, b) => this.intern(sweep(this.borders[a]!, this.borders[b]!, combine)));
  }

  private intern(borders: Uint32Array): PortSetId {
    const hash = hashOf(borders);
    const candidates = this.ids.get(hash) ?? [];
    const known = candidates.find((id) => sameBorders(this.borders[id]!, borders));
    if (known !== undefined) return known;
    const id = this.borders.push(borders) - 1;
    candidates.push(id);
    this.ids.set(hash, candidates);
    return id;
  }
}

/** Walks both lists of borders at once and keeps those at which the combination changes. */
function sweep(a: Uint32Array, b: Uint32Array, combine: Combine): Uint32Array {
  const result: number[] = [];
  let [i, j] = [0, 0];
  let inside = false;
  while (i < a.length || j < b.length) {
    const at = Math.min(a[i] ?? Infinity, b[j] ?? Infinity);
    if (a[i] === at) i++;
    if (b[j] === at) j++;
    if (combine((i & 1) === 1, (j & 1) === 1) !== inside) {
      inside = !inside;
      result.push(at);
    }
  }
  return new Uint32Array(result);
}

function hashOf(borders: Uint32Array): number {
  let hash = 2166136261;
  for (const border of borders) hash = Math.imul(hash ^ border, 16777619) >>> 0;
  return hash;
}

function sameBorders(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((border, i) => border === b[i]);
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
