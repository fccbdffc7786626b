import { type Address, bitsOf, type Family, formatAddress, parseAddress } from "./address.js";

/** A block of addresses, its host bits cleared. */
export interface Cidr {
  readonly family: Family;
  readonly first: bigint;
  readonly prefix: number;
}

/** Strict: an address, a slash, a prefix length without leading zeros. IPv4-mapped IPv6 is rejected, as in Kubernetes. */
export function parseCidr(text: string): Cidr | undefined {
  const [addressText, prefixText, ...rest] = text.split("/");
  if (addressText === undefined || prefixText === undefined || rest.length > 0) return undefined;
  const address = parseAddress(addressText);
  if (address === undefined || (address.family === 4 && addressText.includes(":"))) return undefined;
  if (!/^(0|[1-9]\d{0,2})$/.test(prefixText)) return undefined;
  const prefix = Number(prefixText);
  if (prefix > bitsOf(address.family)) return undefined;
  const hostBits = BigInt(bitsOf(address.family) - prefix);
  return { family: address.family, first: (address.value >> hostBits) << hostBits, prefix };
}

/** For `10.0.0.1/8`, which means `10.0.0.0/8` to most but not all implementations. */
export function hasHostBits(text: string): boolean {
  const cidr = parseCidr(text);
  const address = parseAddress(text.split("/")[0]!);
  return cidr !== undefined && address !== undefined && cidr.first !== address.value;
}

export function singleAddress(address: Address): Cidr {
  return { family: address.family, first: address.value, prefix: bitsOf(address.family) };
}

export function lastOf(cidr: Cidr): bigint {
  return cidr.first | ((1n << BigInt(bitsOf(cidr.family) - cidr.prefix)) - 1n);
}

export function contains(cidr: Cidr, address: Address): boolean {
  return cidr.family === address.family && address.value >= cidr.first && address.value <= lastOf(cidr);
}

/** Whether every address of `inner` is in `outer`. */
export function covers(outer: Cidr, inner: Cidr): boolean {
  return (
    outer.family === inner.family &&
    inner.prefix >= outer.prefix &&
    inner.first >= outer.first &&
    inner.first <= lastOf(outer)
  );
}

/** Two blocks are nested or disjoint. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  return covers(a, b) || covers(b, a);
}

/** `0.0.0.0/0` or `::/0`. */
export function isWholeFamily(cidr: Cidr): boolean {
  return cidr.prefix === 0;
}

export function formatCidr(cidr: Cidr): string {
  return `${formatAddress({ family: cidr.family, value: cidr.first })}/${cidr.prefix}`;
}
