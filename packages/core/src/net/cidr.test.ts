import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Address, bitsOf, type Family, parseAddress } from "./address.js";
import {
  type Cidr,
  contains,
  covers,
  formatCidr,
  hasHostBits,
  isWholeFamily,
  lastOf,
  overlaps,
  parseCidr,
  singleAddress,
} from "./cidr.js";

const cidr = (text: string): Cidr => parseCidr(text)!;
const address = (text: string): Address => parseAddress(text)!;

describe("blocks that are read, host bits cleared", () => {
  it.each([
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["255.255.255.255/0", "0.0.0.0/0"],
    ["192.0.2.1/32", "192.0.2.1/32"],
    ["192.0.2.129/25", "192.0.2.128/25"],
    ["::/0", "::/0"],
    ["FD00::1/8", "fd00::/8"],
    ["fd00::1/128", "fd00::1/128"],
    ["2001:db8::ffff/127", "2001:db8::fffe/127"],
  ])("%s is %s", (text, canonical) => expect(formatCidr(cidr(text))).toBe(canonical));
});

describe("what is not a block", () => {
  it.each([
    ["a prefix too long for IPv4", "10.0.0.0/33"],
    ["a prefix too long for IPv6", "fd00::/129"],
    ["a prefix of four digits", "fd00::/1280"],
    ["a leading zero", "10.0.0.0/08"],
    ["no prefix", "10.0.0.0/"],
    ["no slash", "10.0.0.0"],
    ["two slashes", "10.0.0.0/8/8"],
    ["a mask", "10.0.0.0/255.0.0.0"],
    ["a sign", "10.0.0.0/+8"],
    ["a negative prefix", "10.0.0.0/-8"],
    ["a fraction", "10.0.0.0/8.0"],
    ["space", "10.0.0.0/ 8"],
    ["an address out of range", "10.0.0.256/24"],
    ["a short address", "10/8"],
    ["an octal address", "010.0.0.0/8"],
    ["a zone", "fe80::%eth0/64"],
    ["an IPv4-mapped block", "::ffff:10.0.0.0/104"],
    ["an IPv4-mapped block with an IPv4 prefix", "::ffff:10.0.0.0/8"],
    ["only a prefix", "/8"],
    ["nothing", ""],
  ])("%s: %j", (_what, text) => expect(parseCidr(text)).toBeUndefined());
});

it.each([
  ["10.0.0.0/8", false],
  ["10.0.0.1/8", true],
  ["10.0.0.1/32", false],
  ["fd00::/8", false],
  ["fd00::1/8", true],
  ["0.0.0.1/0", true],
  ["10.0.0.1/33", false],
])("host bits of %s are set: %s", (text, expected) => expect(hasHostBits(text)).toBe(expected));

it.each([
  ["10.0.0.0/8", "10.0.0.0", true],
  ["10.0.0.0/8", "10.255.255.255", true],
  ["10.0.0.0/8", "11.0.0.0", false],
  ["10.0.0.0/8", "9.255.255.255", false],
  ["192.0.2.1/32", "192.0.2.1", true],
  ["192.0.2.1/32", "192.0.2.2", false],
  ["0.0.0.0/0", "255.255.255.255", true],
  ["0.0.0.0/0", "::1", false],
  ["::/0", "10.0.0.1", false],
  ["::/0", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true],
  ["10.0.0.0/8", "::ffff:10.0.0.1", true],
])("%s contains %s: %s", (block, text, expected) =>
  expect(contains(cidr(block), address(text))).toBe(expected),
);

it.each([
  ["10.0.0.0/8", "10.1.0.0/16", true],
  ["10.0.0.0/8", "10.0.0.0/8", true],
  ["10.1.0.0/16", "10.0.0.0/8", false],
  ["10.0.0.0/8", "11.0.0.0/16", false],
  ["0.0.0.0/0", "::/128", false],
])("%s covers %s: %s", (outer, inner, expected) => expect(covers(cidr(outer), cidr(inner))).toBe(expected));

it("only `0.0.0.0/0` and `::/0` are a whole family", () => {
  expect(["0.0.0.0/0", "::/0", "0.0.0.0/1", "::/1"].map((text) => isWholeFamily(cidr(text)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

describe("laws", () => {
  // A small corner of the address space, so that blocks meet often.
  const near = (family: Family) =>
    fc.bigInt({ min: 0n, max: 63n }).map((value): Address => ({ family, value }));
  const family = fc.constantFrom<Family>(4, 6);
  const block = (f: Family) =>
    fc.tuple(near(f), fc.integer({ min: bitsOf(f) - 6, max: bitsOf(f) })).map(([{ value }, prefix]): Cidr => {
      const bits = BigInt(bitsOf(f) - prefix);
      return { family: f, first: (value >> bits) << bits, prefix };
    });
  const twoBlocks = family.chain((f) => fc.tuple(block(f), block(f), near(f)));

  it("what is formatted is read back as the same", () => {
    fc.assert(
      fc.property(family.chain(block), (c) => {
        expect(parseCidr(formatCidr(c))).toEqual(c);
      }),
    );
  });

  it("a block contains its first and its last address, and not those next to them", () => {
    fc.assert(
      fc.property(family.chain(block), (c) => {
        const has = (value: bigint) => contains(c, { family: c.family, value });
        expect([has(c.first - 1n), has(c.first), has(lastOf(c)), has(lastOf(c) + 1n)]).toEqual([
          false,
          true,
          true,
          false,
        ]);
        expect(lastOf(c) - c.first + 1n).toBe(1n << BigInt(bitsOf(c.family) - c.prefix));
      }),
    );
  });

  it("covering a block means containing its first and last address", () => {
    fc.assert(
      fc.property(twoBlocks, ([a, b]) => {
        const ends = [b.first, lastOf(b)].every((value) => contains(a, { family: b.family, value }));
        expect(covers(a, b)).toBe(ends);
      }),
    );
  });

  it("two blocks that share an address overlap, and then one covers the other", () => {
    fc.assert(
      fc.property(twoBlocks, ([a, b, shared]) => {
        if (contains(a, shared) && contains(b, shared)) expect(overlaps(a, b)).toBe(true);
        expect(overlaps(a, b)).toBe(
          contains(a, { ...shared, value: b.first }) || contains(b, { ...shared, value: a.first }),
        );
      }),
    );
  });

  it("the block of one address contains it alone", () => {
    fc.assert(
      fc.property(
        family.chain((f) => fc.tuple(near(f), near(f))),
        ([a, b]) => {
          expect(contains(singleAddress(a), b)).toBe(a.value === b.value);
        },
      ),
    );
  });
});
