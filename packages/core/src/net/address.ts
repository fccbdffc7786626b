/** An IP address as a number. Parsing is as strict as Go's netip: no octal, no leading zeros, no zones. */
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

export type Family = 4 | 6;

export const bitsOf = (family: Family): number => (family === 4 ? 32 : 128);

/** IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`) are the IPv4 address they map. */
export function parseAddress(text: string): Address | undefined {
  const value = text.includes(":") ? parseIPv6(text) : parseIPv4(text);
  if (value === undefined) return undefined;
  if (!text.includes(":")) return { family: 4, value };
  return value >> 32n === 0xffffn ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };
}

/** Without regular expressions: a snapshot has hundreds of thousands. */
function parseIPv4(text: string): bigint | undefined {
  let value = 0;
  let octet = 0;
  let digits = 0;
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === dot) {
      if (digits === 0) return undefined;
      value = value * 256 + octet;
      dots++;
      octet = digits = 0;
    } else {
      const leadingZero = digits > 0 && octet === 0;
      if (c < zero || c > nine || leadingZero) return undefined;
      octet = octet * 10 + c - zero;
      digits++;
      if (octet > 255) return undefined;
    }
  }
  return dots === 3 && digits > 0 ? BigInt(value * 256 + octet) : undefined;
}

const dot = 0x2e;
const zero = 0x30;
const nine = 0x39;

function parseIPv6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1]!, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array<bigint>(missing).fill(0n), ...tail].reduce(
    (value, group) => (value << 16n) | group,
    0n,
  );
}

function parseGroups(text: string, mayEndInIPv4: boolean): bigint[] | undefined {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [i, part] of parts.entries()) {
    if (part.includes(".")) {
      const tail = mayEndInIPv4 && i === parts.length - 1 ? parseIPv4(part) : undefined;
      if (tail === undefined) return undefined;
      groups.push(tail >> 16n, tail & 0xffffn);
    } else if (/^[\da-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.family === b.family && a.value === b.value;
}

/** The canonical text: dotted quads, or IPv6 with its longest run of zero groups compressed (RFC 5952). */
export function formatAddress({ family, value }: Address): string {
  // Without arithmetic on big integers, which would take most of the time of formatting all addresses of a cluster.
  if (family === 4) {
    const number = Number(value);
    return `${number >>> 24}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
  }
  const digits = value.toString(16).padStart(32, "0");
  const groups: string[] = [];
  for (let at = 0; at < 32; at += 4) {
    let first = at;
    while (first < at + 3 && digits.charCodeAt(first) === zero) first++;
    groups.push(digits.slice(first, at + 4));
  }
  const { start, length } = longestZeroRun(groups);
  if (length < 2) return groups.join(":");
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
}

function longestZeroRun(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === "0") end++;
    if (end - start > best.length) best = { start, length: end - start };
    start = end;
  }
  return best;
}
