import type { PortSetId, PortSets } from "../../../sets/port-sets.js";
import type { JsonObject } from "../../../manifest/document.js";

const transports = ["TCP", "UDP", "SCTP"] as const;

/** A set of ports as a NetworkPolicy lists them; undefined for every port of every protocol. */
export interface PortList {
  readonly ports: readonly JsonObject[] | undefined;
  /** ICMP is allowed with every port, or not at all: whether that leaves something out. */
  readonly withoutIcmp: boolean;
}

export function portList(id: PortSetId, sets: PortSets): PortList {
  const isAll = (protocol: (typeof transports)[number]) => {
    const [only, ...more] = sets.ranges(id, protocol);
    return more.length === 0 && only?.[0] === 1 && only[1] === 65535;
  };
  const hasIcmp = sets.ranges(id, "ICMP").length > 0;
  if (hasIcmp && transports.every(isAll)) return { ports: undefined, withoutIcmp: false };
  const ports = transports.flatMap((protocol): readonly JsonObject[] =>
    isAll(protocol)
      ? [{ protocol }]
      : sets.ranges(id, protocol).map(([first, last]) => ({
          protocol,
          port: first,
          ...(last === first ? {} : { endPort: last }),
        })),
  );
  return { ports, withoutIcmp: hasIcmp };
}
