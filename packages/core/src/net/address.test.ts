import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Address, bitsOf, formatAddress, parseAddress, sameAddress } from "./address.js";

const v4 = (value: bigint): Address => ({ family: 4, value });
const v6 = (value: bigint): Address => ({ family: 6, value });

describe("addresses that are read", () => {
  const cases: readonly (readonly [string, Address])[] = [
    ["0.0.0.0", v4(0n)],
    ["10.0.0.1", v4(0x0a000001n)],
    ["255.255.255.255", v4(0xffffffffn)],
    ["::", v6(0n)],
    ["::1", v6(1n)],
    ["1::", v6(1n << 112n)],
    ["fd00::10", v6((0xfd00n << 112n) | 0x10n)],
    ["FD00::aBcD", v6((0xfd00n << 112n) | 0xabcdn)],
    ["2001:0db8:0000:0000:0000:0000:0000:0001", v6((0x20010db8n << 96n) | 1n)],
    ["1:2:3:4:5:6:7:8", v6(0x00010002000300040005000600070008n)],
    ["1:2:3:4:5:6:7::", v6(0x00010002000300040005000600070000n)],
    ["::2:3:4:5:6:7:8", v6(0x00000002000300040005000600070008n)],
    ["64:ff9b::192.0.2.33", v6((0x64ff9bn << 96n) | 0xc0000221n)],
    ["::10.0.0.1", v6(0x0a000001n)],
  ];
  it.each(cases)("%s", (text, address) => expect(parseAddress(text)).toEqual(address));
});

describe("an IPv4-mapped address is the IPv4 address it maps", () => {
  it.each(["::ffff:10.0.0.1", "::FFFF:a00:1", "0:0:0:0:0:ffff:0a00:0001"])("%s", (text) =>
    expect(parseAddress(text)).toEqual(v4(0x0a000001n)),
  );

  it("but only in the block that is set aside for it", () => {
    expect(parseAddress("::fffe:10.0.0.1")?.family).toBe(6);
    expect(parseAddress("1::ffff:10.0.0.1")?.family).toBe(6);
    expect(parseAddress("::ffff:0:10.0.0.1")?.family).toBe(6);
  });
});

describe("what is not an address", () => {
  it.each([
    ["an octet above 255", "10.0.0.256"],
    ["an octet of four digits", "10.0.0.1000"],
    ["a leading zero, which some read as octal", "10.0.0.01"],
    ["two zeros", "10.0.0.00"],
    ["octal", "010.0.0.1"],
    ["hexadecimal", "0x0a.0.0.1"],
    ["three octets", "10.0.1"],
    ["one number", "167772161"],
    ["five octets", "10.0.0.0.1"],
    ["an empty octet", "10..0.1"],
    ["a trailing dot", "10.0.0.1."],
    ["a sign", "10.0.0.-1"],
    ["a plus", "10.0.0.+1"],
    ["space before", " 10.0.0.1"],
    ["space behind", "10.0.0.1 "],
    ["a line break behind", "10.0.0.1\n"],
    ["a CIDR", "10.0.0.0/8"],
    ["a port", "10.0.0.1:80"],
    ["other digits", "١٠.0.0.1"],
    ["nothing", ""],
    ["a colon", ":"],
    ["three colons", ":::"],
    ["two gaps", "1::2::3"],
    ["a group of five digits", "::12345"],
    ["a group that is no number", "::g"],
    ["seven groups", "1:2:3:4:5:6:7"],
    ["nine groups", "1:2:3:4:5:6:7:8:9"],
    ["a gap for nothing", "1:2:3:4::5:6:7:8"],
    ["a leading colon", ":1:2:3:4:5:6:7"],
    ["a trailing colon", "1:2:3:4:5:6:7:"],
    ["a zone", "fe80::1%eth0"],
    ["a zone on a mapped address", "::ffff:10.0.0.1%1"],
    ["brackets", "[::1]"],
    ["an IPv4 part that is not the last", "::10.0.0.1:1"],
    ["an IPv4 part before the gap", "10.0.0.1::"],
    ["an IPv4 part with a leading zero", "::ffff:10.0.0.01"],
    ["an IPv4 part out of range", "::ffff:10.0.0.256"],
    ["an IPv4 part that does not fit", "1:2:3:4:5:6:7:10.0.0.1"],
    ["a name", "localhost"],
  ])("%s: %j", (_what, text) => expect(parseAddress(text)).toBeUndefined());
});

describe("RFC 5952: one way to write an address", () => {
  it.each([
    ["the longest run of zeros is compressed", "2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
    ["of two equal runs the first", "2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["a single zero group is not compressed", "2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["leading zeros go", "2001:0db8::0001", "2001:db8::1"],
    ["lower case", "2001:DB8::ABCD", "2001:db8::abcd"],
    ["a run at the start", "0:0:1:2:3:4:5:6", "::1:2:3:4:5:6"],
    ["a run at the end", "1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"],
    ["all zeros", "0:0:0:0:0:0:0:0", "::"],
    ["IPv4", "192.0.2.1", "192.0.2.1"],
    ["a mapped one is written as IPv4", "::ffff:192.0.2.1", "192.0.2.1"],
  ])("%s: %s is %s", (_what, text, canonical) => expect(formatAddress(parseAddress(text)!)).toBe(canonical));
});

describe("laws", () => {
  const address: fc.Arbitrary<Address> = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map(v4),
    fc
      // Groups of zeros are common, so that runs of every length show up.
      .array(fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 0xffffn })), {
        minLength: 8,
        maxLength: 8,
      })
      .map((groups) => v6(groups.reduce((value, group) => (value << 16n) | group, 0n)))
      .filter(({ value }) => value >> 32n !== 0xffffn),
  );

  it("what is formatted is read back as the same", () => {
    fc.assert(
      fc.property(address, (a) => {
        expect(parseAddress(formatAddress(a))).toEqual(a);
      }),
    );
  });

  it("different addresses are written differently", () => {
    fc.assert(
      fc.property(address, address, (a, b) => {
        expect(formatAddress(a) === formatAddress(b)).toBe(sameAddress(a, b));
      }),
    );
  });

  it("any text is an address within its family, or none", () => {
    const characters = fc.constantFrom(..."0123456789abcdefF:.::%/ ".split(""));
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 45 }), (text) => {
        const read = parseAddress(text);
        if (read === undefined) return;
        expect(read.value).toBeLessThan(1n << BigInt(bitsOf(read.family)));
        expect(parseAddress(formatAddress(read))).toEqual(read);
      }),
      { numRuns: 2000 },
    );
  });
});

it("the same number in two families is two addresses", () => {
  expect(sameAddress(v4(1n), v6(1n))).toBe(false);
  expect(sameAddress(v4(1n), v4(1n))).toBe(true);
  expect(sameAddress(v4(1n), v4(2n))).toBe(false);
});
