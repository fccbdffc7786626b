import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Address, parseAddress } from "./address.js";
import { type Cidr, contains, parseCidr } from "./cidr.js";
import {
  formatRange,
  cidrsOfRegion,
  intersect,
  isEmpty,
  type Region,
  regionOfAddresses,
  regionOfCidrs,
  regionOfRanges,
  subtract,
} from "./region.js";

/* Every law is checked address by address in a small corner of the IPv4 space. */
const size = 32;
const everyValue = Array.from({ length: size + 1 }, (_, i) => BigInt(i));
const has = ({ ranges }: Region, value: bigint) =>
  ranges.some(([first, last]) => value >= first && value <= last);
const members = (region: Region) => everyValue.filter((value) => has(region, value));

const at = (value: number): Address => ({ family: 4, value: BigInt(value) });
const addresses = fc.array(fc.integer({ min: 0, max: size - 1 }).map(at), { maxLength: 12 });
const cidr: fc.Arbitrary<Cidr> = fc
  .tuple(fc.integer({ min: 0, max: size - 1 }), fc.integer({ min: 28, max: 32 }))
  .map(([value, prefix]) => {
    const bits = BigInt(32 - prefix);
    return { family: 4, first: (BigInt(value) >> bits) << bits, prefix };
  });
const region = fc.oneof(
  addresses.map((list) => regionOfAddresses(4, list)),
  fc.array(cidr, { maxLength: 5 }).map((list) => regionOfCidrs(4, list)),
);

/** Ranges in order, none empty, none touching another: one region has one form. */
function expectWellFormed({ ranges }: Region, mayTouch = false): void {
  for (const [i, [first, last]] of ranges.entries()) {
    expect(first).toBeLessThanOrEqual(last);
    const next = ranges[i + 1];
    if (next !== undefined) expect(next[0]).toBeGreaterThan(mayTouch ? last : last + 1n);
  }
}

describe("a region of addresses or blocks", () => {
  it("holds exactly the addresses it was made of", () => {
    fc.assert(
      fc.property(addresses, (list) => {
        const made = regionOfAddresses(4, list);
        expect(members(made)).toEqual(everyValue.filter((value) => list.some((a) => a.value === value)));
        expectWellFormed(made);
      }),
    );
  });

  it("holds exactly what its blocks hold", () => {
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 5 }), (list) => {
        const made = regionOfCidrs(4, list);
        expect(members(made)).toEqual(
          everyValue.filter((value) => list.some((c) => contains(c, { family: 4, value }))),
        );
        expectWellFormed(made);
      }),
    );
  });

  it("leaves out the other family", () => {
    expect(isEmpty(regionOfCidrs(6, [parseCidr("0.0.0.0/0")!]))).toBe(true);
    expect(isEmpty(regionOfAddresses(6, [at(1)]))).toBe(true);
    expect(isEmpty(regionOfCidrs(4, [parseCidr("0.0.0.0/0")!]))).toBe(false);
  });

  it("joins neighbours: two halves are the whole", () => {
    const halves = [parseCidr("128.0.0.0/1")!, parseCidr("0.0.0.0/1")!];
    expect(regionOfCidrs(4, halves)).toEqual(regionOfCidrs(4, [parseCidr("0.0.0.0/0")!]));
  });

  it("a block within another adds nothing, in either order", () => {
    const [outer, inner] = [parseCidr("10.0.0.0/8")!, parseCidr("10.1.0.0/16")!];
    expect(regionOfCidrs(4, [inner, outer])).toEqual(regionOfCidrs(4, [outer]));
    expect(regionOfCidrs(4, [outer, inner])).toEqual(regionOfCidrs(4, [outer]));
  });
});

describe("algebra", () => {
  it("an intersection holds what both hold", () => {
    fc.assert(
      fc.property(region, region, (a, b) => {
        const both = intersect(a, b);
        expect(members(both)).toEqual(everyValue.filter((value) => has(a, value) && has(b, value)));
        expectWellFormed(both, true);
      }),
    );
  });

  it("a difference holds what only the first holds", () => {
    fc.assert(
      fc.property(region, region, (a, b) => {
        const rest = subtract(a, b);
        expect(members(rest)).toEqual(everyValue.filter((value) => has(a, value) && !has(b, value)));
        expectWellFormed(rest, true);
      }),
    );
  });

  it("intersection commutes and associates, and a region is its own", () => {
    fc.assert(
      fc.property(region, region, region, (a, b, c) => {
        expect(intersect(a, b)).toEqual(intersect(b, a));
        expect(intersect(intersect(a, b), c)).toEqual(intersect(a, intersect(b, c)));
        expect(intersect(a, a)).toEqual(a);
      }),
    );
  });

  it("intersection and difference part a region: nothing lost, nothing twice", () => {
    fc.assert(
      fc.property(region, region, (a, b) => {
        const [inside, outside] = [intersect(a, b), subtract(a, b)];
        expect(isEmpty(intersect(inside, outside))).toBe(true);
        expect(new Set([...members(inside), ...members(outside)])).toEqual(new Set(members(a)));
      }),
    );
  });

  it("nothing is left of a region without itself, and nothing is taken by an empty one", () => {
    const empty = regionOfAddresses(4, []);
    fc.assert(
      fc.property(region, (a) => {
        expect(isEmpty(subtract(a, a))).toBe(true);
        expect(subtract(a, empty)).toEqual(a);
        expect(isEmpty(intersect(a, empty))).toBe(true);
      }),
    );
  });
});

describe("a range in words", () => {
  it.each([
    ["0.0.0.0", "255.255.255.255", "0.0.0.0/0"],
    ["10.0.0.0", "10.255.255.255", "10.0.0.0/8"],
    ["10.0.0.7", "10.0.0.7", "10.0.0.7/32"],
    ["10.0.0.1", "10.0.0.2", "10.0.0.1-10.0.0.2"],
    ["10.0.0.0", "10.0.0.2", "10.0.0.0-10.0.0.2"],
    ["::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::/0"],
    ["fd00::", "fd00::ffff", "fd00::/112"],
    ["fd00::1", "fd00::ffff", "fd00::1-fd00::ffff"],
  ])("%s to %s is %s", (first, last, text) => {
    const [from, to] = [parseAddress(first)!, parseAddress(last)!];
    expect(formatRange(from.family, from.value, to.value)).toBe(text);
  });
});

describe("blocks of a region", () => {
  it("are the region, and none overlaps another", () => {
    fc.assert(
      fc.property(region, (any) => {
        const blocks = cidrsOfRegion(any);
        expect(members(regionOfCidrs(4, blocks))).toEqual(members(any));
        const sizes = blocks.map(({ prefix }) => 2 ** (32 - prefix));
        expect(sizes.reduce((sum, count) => sum + count, 0)).toBe(members(any).length);
      }),
    );
  });

  it("are as few as can be", () => {
    const whole = regionOfRanges(6, [[0n, (1n << 128n) - 1n]]);
    expect(cidrsOfRegion(whole)).toEqual([{ family: 6, first: 0n, prefix: 0 }]);
    expect(cidrsOfRegion(regionOfRanges(4, [[1n, 8n]])).map(({ prefix }) => prefix)).toEqual([
      32, 31, 30, 32,
    ]);
  });
});
