import type { PortSetId, PortSets } from "../../sets/port-sets.js";
import type { TransportProtocol } from "../../policy/model.js";

/** Ports of one protocol, or everything that there is. */
export type PortGroup =
  | { readonly protocol: "any" }
  | {
      readonly protocol: TransportProtocol;
      readonly ranges: readonly (readonly [first: number, last: number])[];
    }
  | { readonly protocol: "ICMP" };

/** A set of ports, protocol by protocol. */
export function portGroups(ports: PortSets, set: PortSetId, real: PortSetId): readonly PortGroup[] {
  if (set === real) return [{ protocol: "any" }];
  const transports = (["TCP", "UDP", "SCTP"] as const).flatMap((protocol): PortGroup[] => {
    const ranges = ports.ranges(set, protocol);
    return ranges.length === 0 ? [] : [{ protocol, ranges }];
  });
  return ports.contains(set, "ICMP", 0) ? [...transports, { protocol: "ICMP" }] : transports;
}
