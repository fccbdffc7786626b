import type { PortGroup } from "../analysis/matrix/port-groups.js";
import { type JsonFields, portRanges } from "./explanation/explanation-json.js";

/** `80,443/TCP`, `all UDP`, `ICMP`; `any` is everything there is. */
export function portGroupText(group: PortGroup): string {
  switch (group.protocol) {
    case "any":
    case "ICMP":
      return group.protocol;
    case "TCP":
    case "UDP":
    case "SCTP": {
      const ports = portRanges(group.ranges);
      return ports === "all" ? `all ${group.protocol}` : `${ports}/${group.protocol}`;
    }
  }
}

export function portGroupsText(groups: readonly PortGroup[]): string {
  return groups.map(portGroupText).join(" ");
}

export function portGroupJson(group: PortGroup): JsonFields {
  return "ranges" in group
    ? { protocol: group.protocol, ports: portRanges(group.ranges) }
    : { protocol: group.protocol };
}
