import type { AddressRange } from "../../engine/index.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import { portAt, type PortSetId, type PortSets } from "../../sets/port-sets.js";

/* Example connections, which represent a set of connections in reports. */

type Port = Pick<Flow, "protocol" | "port">;

export const flowBetween = (
  source: Endpoint,
  destination: Endpoint,
  { protocol, port }: Port,
  family: Family | undefined,
): Flow => ({ source, destination, protocol, port, ...(family === undefined ? {} : { family }) });

/** The first address of a range. */
export const externalAt = ({ family, first }: AddressRange): Extract<Endpoint, { kind: "external" }> => ({
  kind: "external",
  address: { family, value: first },
});

const usualPorts: readonly Port[] = [
  { protocol: "TCP", port: 443 },
  { protocol: "TCP", port: 80 },
  { protocol: "TCP", port: 8080 },
];

/** A port of the set; if possible one that the destination declares, because users know it. */
export function likelyPort(
  sets: PortSets,
  set: PortSetId,
  destination: Endpoint,
): Port & { readonly isDeclared: boolean } {
  const isAmong = ({ protocol, port }: Port) => sets.contains(set, protocol, port);
  const declared = (destination.kind === "pod" ? destination.pod.ports : []).find(isAmong);
  const port = declared ?? usualPorts.find(isAmong) ?? portAt(sets.bordersOf(set)[0]!);
  return { ...port, isDeclared: declared !== undefined };
}
