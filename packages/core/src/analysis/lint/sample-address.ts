import type { AddressRange } from "../../engine/index.js";
import { type Address, parseAddress } from "../../net/address.js";

/** Addresses that are kept for examples. */
const wellKnown = ["203.0.113.7", "198.51.100.7", "2001:db8::7"].flatMap((text) => parseAddress(text) ?? []);

/** One address of the range that reads like an example, if there is one in it. */
export function sampleAddress({ family, first, last }: AddressRange): Address {
  const known = wellKnown.find(
    (address) => address.family === family && address.value >= first && address.value <= last,
  );
  return known ?? { family, value: first };
}
