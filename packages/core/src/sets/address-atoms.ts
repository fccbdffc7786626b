import { type Address, bitsOf, type Family } from "../net/address.js";
import { type Cidr, lastOf } from "../net/cidr.js";
import { lastAtMost } from "./sorted.js";

/*
 * The CIDRs of all rules split the addresses of a family into atoms: ranges in which no rule can distinguish two
 * addresses. Atoms are numbered, IPv4 first, so that a CIDR is a range of numbers.
 */
export class AddressAtoms {
  /** Where each atom begins. IPv4 as numbers, which compare faster. */
  private readonly starts4: Float64Array;
  private readonly starts6: readonly bigint[];

  constructor(cidrs: Iterable<Cidr>) {
    const starts = { 4: new Set([0n]), 6: new Set([0n]) };
    for (const cidr of cidrs) {
      const behind = lastOf(cidr) + 1n;
      starts[cidr.family].add(cidr.first);
      if (behind < 1n << BigInt(bitsOf(cidr.family))) starts[cidr.family].add(behind);
    }
    this.starts4 = Float64Array.from(starts[4], Number).toSorted();
    this.starts6 = [...starts[6]].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  get count(): number {
    return this.starts4.length + this.starts6.length;
  }

  familyOf(atom: number): Family {
    return atom < this.starts4.length ? 4 : 6;
  }

  firstOf(atom: number): Address {
    const ipv6 = atom - this.starts4.length;
    return ipv6 < 0
      ? { family: 4, value: BigInt(this.starts4[atom]!) }
      : { family: 6, value: this.starts6[ipv6]! };
  }

  lastOf(atom: number): Address {
    const next = atom + 1;
    const family = this.familyOf(atom);
    if (next < this.count && this.familyOf(next) === family)
      return { family, value: this.firstOf(next).value - 1n };
    return { family, value: (1n << BigInt(bitsOf(family))) - 1n };
  }

  indexOf({ family, value }: Address): number {
    return family === 4
      ? lastAtMost(this.starts4, Number(value))
      : this.starts4.length + lastAtMost(this.starts6, value);
  }

  /** The atoms of a CIDR, from the first to before the second. It must be one of those that cut. */
  rangeOf(cidr: Cidr): readonly [from: number, to: number] {
    const last = { family: cidr.family, value: lastOf(cidr) };
    return [this.indexOf({ family: cidr.family, value: cidr.first }), this.indexOf(last) + 1];
  }

  /** Whether a CIDR begins and ends at the bounds of atoms, so that it contains each atom completely or not at all. */
  isCutBy(cidr: Cidr): boolean {
    const [from, to] = this.rangeOf(cidr);
    return this.firstOf(from).value === cidr.first && this.lastOf(to - 1).value === lastOf(cidr);
  }
}
