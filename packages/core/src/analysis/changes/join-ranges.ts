import type { AddressRange } from "../../engine/index.js";
import { bitsOf } from "../../net/address.js";

/** The same addresses in as few ranges as can be, in ascending order. */
export function joinRanges(ranges: readonly AddressRange[]): readonly AddressRange[] {
  const sorted = ranges.toSorted((a, b) => a.family - b.family || (a.first < b.first ? -1 : 1));
  const joined: AddressRange[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last === undefined || last.family !== range.family || last.last + 1n < range.first)
      joined.push(range);
    else if (range.last > last.last) joined[joined.length - 1] = { ...last, last: range.last };
  }
  return joined;
}

/** Whether it is every address that a family has. */
export function isEveryAddress({ family, first, last }: AddressRange): boolean {
  return first === 0n && last === (1n << BigInt(bitsOf(family))) - 1n;
}
