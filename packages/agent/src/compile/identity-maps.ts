import { type Family, formatAddress, formatRange } from "@tierwall/core";
import type { NamedSet } from "../ruleset/ruleset.js";
import { ClaimedAddresses } from "./claimed-addresses.js";
import type { End, Ends } from "./ends.js";
import { somebody } from "./identities.js";
import { roomFor } from "./map-size.js";

/** The maps that tell who is at an address: pods and nodes one by one, external addresses by range. */
export interface IdentityMaps {
  readonly exact: NamedSet;
  readonly ranges: NamedSet;
}

export function identityMapsOf(
  ends: Ends,
  identities: ReadonlyMap<End, string>,
  family: Family,
): IdentityMaps {
  const inUse = ends.ranges.filter((range) => range.family === family && identities.has(range.end));
  const ranges = new Map(
    inUse.map(({ first, last, end }) => [elementRange(family, first, last), identities.get(end)!]),
  );
  const claimed = new ClaimedAddresses(inUse);
  const exact = new Map<string, string>();
  for (const located of [ends.ofHosts, ends.ofPods.values()])
    for (const { text, address, end } of located) {
      if (address.family !== family) continue;
      const identity = identities.get(end) ?? (claimed.has(address) ? somebody : undefined);
      if (identity !== undefined) exact.set(text, identity);
      else exact.delete(text);
    }
  const type = `ipv${family}_addr : classid`;
  return {
    exact: { kind: "map", type, flags: [], size: roomFor(exact.size, 16_384), elements: exact },
    ranges: { kind: "map", type, flags: ["interval"], elements: ranges },
  };
}

/** As nft prints it: a single address without its prefix. */
function elementRange(family: Family, first: bigint, last: bigint): string {
  return first === last ? formatAddress({ family, value: first }) : formatRange(family, first, last);
}
