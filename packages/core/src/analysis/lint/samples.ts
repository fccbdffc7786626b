import type { AddressRange } from "../../engine/index.js";
import { type Address, parseAddress } from "../../net/address.js";
import type { Protocol, Rule } from "../../policy/model.js";

/** Addresses that are kept for examples. */
const wellKnown = ["203.0.113.7", "198.51.100.7", "2001:db8::7"].flatMap((text) => parseAddress(text) ?? []);

/** One address of the range that reads like an example, if there is one in it. */
export function sampleAddress({ family, first, last }: AddressRange): Address {
  const known = wellKnown.find(
    (address) => address.family === family && address.value >= first && address.value <= last,
  );
  return known ?? { family, value: first };
}

/** A port that a rule is about, to ask a question with; undefined where it names ports of pods only. */
export function samplePort({
  ports,
}: Pick<Rule, "ports">): { readonly protocol: Protocol; readonly port: number } | undefined {
  if (ports === "every") return { protocol: "TCP", port: 443 };
  for (const port of ports) {
    if (port.kind === "icmp") return { protocol: "ICMP", port: 0 };
    if (port.kind === "range") {
      const well = [443, 80].find((known) => known >= port.first && known <= port.last);
      return { protocol: port.protocol, port: well ?? port.first };
    }
  }
  return undefined;
}
