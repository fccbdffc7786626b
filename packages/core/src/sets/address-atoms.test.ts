import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Address, bitsOf, type Family, formatAddress } from "../net/address.js";
import { type Cidr, contains, parseCidr } from "../net/cidr.js";
import { AddressAtoms } from "./address-atoms.js";

const cidrs = (...texts: readonly string[]): readonly Cidr[] => texts.map((text) => parseCidr(text)!);

/** Blocks in the first and the last addresses of a family, where going over the edge would show. */
const cidr = fc
  .tuple(fc.constantFrom<Family>(4, 6), fc.boolean(), fc.bigInt({ min: 0n, max: 15n }), fc.nat(4))
  .map(([family, atEnd, low, hostBits]): Cidr => {
    const bits = bitsOf(family);
    const value = atEnd ? (1n << BigInt(bits)) - 1n - low : low;
    const shift = BigInt(hostBits);
    return { family, first: (value >> shift) << shift, prefix: bits - hostBits };
  });

const addresses: readonly Address[] = ([4, 6] as const).flatMap((family) => {
  const end = 1n << BigInt(bitsOf(family));
  return Array.from({ length: 34 }, (_, i) => ({ family, value: i < 17 ? BigInt(i) : end - BigInt(34 - i) }));
});

describe("address atoms", () => {
  it("of a CIDR hold its addresses and no others", () => {
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 6 }), (list) => {
        const atoms = new AddressAtoms(list);
        for (const one of list) {
          const [from, to] = atoms.rangeOf(one);
          expect(atoms.isCutBy(one)).toBe(true);
          for (const address of addresses) {
            const atom = atoms.indexOf(address);
            expect(atom >= from && atom < to).toBe(contains(one, address));
          }
        }
      }),
    );
  });

  it("cover both families without a gap", () => {
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 6 }), (list) => {
        const atoms = new AddressAtoms(list);
        for (const address of addresses) {
          const atom = atoms.indexOf(address);
          expect(atoms.familyOf(atom)).toBe(address.family);
          expect(atoms.firstOf(atom).value <= address.value).toBe(true);
          expect(atoms.lastOf(atom).value >= address.value).toBe(true);
        }
      }),
    );
  });

  it.each([
    [[], ["0.0.0.0 - 255.255.255.255", ":: - ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]],
    [
      ["10.0.0.0/8", "10.1.0.0/16"],
      [
        "0.0.0.0 - 9.255.255.255",
        "10.0.0.0 - 10.0.255.255",
        "10.1.0.0 - 10.1.255.255",
        "10.2.0.0 - 10.255.255.255",
        "11.0.0.0 - 255.255.255.255",
        ":: - ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
      ],
    ],
    [
      ["255.255.255.255/32", "::/1"],
      [
        "0.0.0.0 - 255.255.255.254",
        "255.255.255.255 - 255.255.255.255",
        ":: - 7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "8000:: - ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
      ],
    ],
  ])("of %j are cut where the CIDRs begin and end", (texts, wanted) => {
    const atoms = new AddressAtoms(cidrs(...texts));
    const shown = Array.from(
      { length: atoms.count },
      (_, i) => `${formatAddress(atoms.firstOf(i))} - ${formatAddress(atoms.lastOf(i))}`,
    );
    expect(shown).toEqual(wanted);
  });

  it("report whether they would have to be split again", () => {
    const atoms = new AddressAtoms(cidrs("10.0.0.0/8", "10.1.0.0/16"));
    const isCut = (text: string) => atoms.isCutBy(parseCidr(text)!);
    expect(["10.0.0.0/8", "10.1.0.0/16", "0.0.0.0/0", "::/0"].map(isCut)).toEqual([true, true, true, true]);
    expect(["10.0.0.0/9", "10.1.0.0/24", "::/1"].map(isCut)).toEqual([false, false, false]);
  });
});
