import type { Address } from "./address.js";
import { type Cidr, contains, parseCidr } from "./cidr.js";

/*
 * Addresses that no host outside the cluster has, or that answer with secrets of the machine. A domain name never matches them
 * (S8.3): the owner of the name chooses what it resolves to.
 */

const ofIPv4 = [
  "0.0.0.0/8", // this host
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, with the metadata services of most clouds
  "100.100.100.200/32", // metadata service (Alibaba Cloud)
  "168.63.129.16/32", // platform service (Azure)
  "224.0.0.0/4", // multicast
  "255.255.255.255/32", // broadcast
] as const;

const ofIPv6 = [
  "::/96", // unspecified, loopback, and the IPv4-compatible form
  "fe80::/10", // link-local
  "ff00::/8", // multicast
  "fd00:ec2::254/128", // metadata service (AWS)
  "fd20:ce::254/128", // metadata service (Google Cloud)
] as const;

/** RFC 6052: the last 32 bits are an IPv4 address behind a translator. */
const translated: Cidr = parseCidr("64:ff9b::/96")!;
/** RFC 4291: never on the wire; a socket with such an address uses IPv4. */
const mapped: Cidr = { family: 6, first: 0xffffn << 32n, prefix: 96 };

const block = (text: string): Cidr => parseCidr(text)!;
const throughTranslator = ({ first, prefix }: Cidr): Cidr => ({
  family: 6,
  first: translated.first | first,
  prefix: 96 + prefix,
});

/** S8.3: addresses that no domain name matches, whatever it resolves to. */
export const neverNamed: readonly Cidr[] = [
  ...ofIPv4.map(block),
  ...ofIPv6.map(block),
  mapped,
  ...ofIPv4.map(block).map(throughTranslator),
];

export const isNeverNamed = (address: Address): boolean => neverNamed.some((cidr) => contains(cidr, address));

/** The IPv4 address that an IPv6 address leads to: translated (RFC 6052) or mapped (RFC 4291). */
export function embeddedAddress(address: Address): Address | undefined {
  if (!contains(translated, address) && !contains(mapped, address)) return undefined;
  return { family: 4, value: address.value & 0xffffffffn };
}
