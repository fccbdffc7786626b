import { type Address, bitsOf, type Family, formatAddress } from "./address.js";
import { type Cidr, formatCidr, lastOf } from "./cidr.js";

/** A set of addresses of one family: disjoint, inclusive ranges in ascending order. */
export interface Region {
  readonly family: Family;
  readonly ranges: readonly (readonly [first: bigint, last: bigint])[];
}

export function regionOfAddresses(family: Family, addresses: readonly Address[]): Region {
  return union(
    family,
    addresses.filter((a) => a.family === family).map(({ value }) => [value, value]),
  );
}

export function regionOfCidrs(family: Family, cidrs: readonly Cidr[]): Region {
  return union(
    family,
    cidrs.filter((c) => c.family === family).map((c) => [c.first, lastOf(c)]),
  );
}

export function isEmpty(region: Region): boolean {
  return region.ranges.length === 0;
}

function union(family: Family, ranges: readonly (readonly [bigint, bigint])[]): Region {
  const sorted = ranges.toSorted((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  const merged: [bigint, bigint][] = [];
  for (const [first, last] of sorted) {
    const previous = merged.at(-1);
    if (previous !== undefined && first <= previous[1] + 1n)
      previous[1] = last > previous[1] ? last : previous[1];
    else merged.push([first, last]);
  }
  return { family, ranges: merged };
}

export function intersect(a: Region, b: Region): Region {
  const ranges = a.ranges.flatMap(([first, last]) =>
    b.ranges.flatMap(([from, to]): [bigint, bigint][] => {
      const low = first > from ? first : from;
      const high = last < to ? last : to;
      return low <= high ? [[low, high]] : [];
    }),
  );
  return { family: a.family, ranges };
}

export function subtract(a: Region, b: Region): Region {
  let ranges = a.ranges;
  for (const [from, to] of b.ranges)
    ranges = ranges.flatMap(([first, last]): readonly [bigint, bigint][] => {
      if (to < first || from > last) return [[first, last]];
      const before: [bigint, bigint][] = first < from ? [[first, from - 1n]] : [];
      const after: [bigint, bigint][] = to < last ? [[to + 1n, last]] : [];
      return [...before, ...after];
    });
  return { family: a.family, ranges };
}

/** As a CIDR if possible, else as an inclusive range such as `10.0.0.1-10.0.0.9`. */
export function formatRange(family: Family, first: bigint, last: bigint): string {
  const size = last - first + 1n;
  const hostBits = size.toString(2).length - 1;
  const isCidr = size === 1n << BigInt(hostBits) && first % size === 0n;
  if (isCidr) return formatCidr({ family, first, prefix: bitsOf(family) - hostBits });
  return `${formatAddress({ family, value: first })}-${formatAddress({ family, value: last })}`;
}

/** The fewest blocks that make up the region. */
export function cidrsOfRegion({ family, ranges }: Region): readonly Cidr[] {
  return ranges.flatMap(([first, last]) => [...blocksOf(family, first, last)]);
}

function* blocksOf(family: Family, from: bigint, last: bigint): Iterable<Cidr> {
  const bits = bitsOf(family);
  for (let first = from; first <= last; ) {
    let size = 0;
    // As large as the position of the block and the end of the range allow.
    while (
      size < bits &&
      (first & ((1n << BigInt(size + 1)) - 1n)) === 0n &&
      first + (1n << BigInt(size + 1)) - 1n <= last
    )
      size++;
    yield { family, first, prefix: bits - size };
    first += 1n << BigInt(size);
  }
}

export function regionOfRanges(
  family: Family,
  ranges: readonly (readonly [first: bigint, last: bigint])[],
): Region {
  return union(family, ranges);
}
