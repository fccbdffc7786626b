import { echoRequest } from "../evaluate/match.js";
import type { Family } from "../net/address.js";
import type { PortMatch, Rule } from "../policy/model.js";
import type { EndClass } from "./ends.js";
import { everyPort, noPorts, type PortSetId, type PortSets } from "./port-sets.js";

const transports = ["TCP", "UDP", "SCTP"] as const;

export function hasNamedPorts({ ports }: Rule): boolean {
  return ports !== "every" && ports.some((port) => port.kind === "named");
}

/** The ports that rules mean, in connections of one address family. */
export class RulePorts {
  private readonly plain = new Map<Rule["ports"], PortSetId>();

  constructor(
    private readonly sets: PortSets,
    private readonly family: Family | undefined,
  ) {}

  /** `destination` is where named ports are looked up (S1.8); hosts and external addresses have none. */
  of(rule: Rule, destination: EndClass | undefined): PortSetId {
    if (hasNamedPorts(rule)) return this.union(rule.ports, destination);
    const known = this.plain.get(rule.ports);
    if (known !== undefined) return known;
    const found = this.union(rule.ports, undefined);
    this.plain.set(rule.ports, found);
    return found;
  }

  // S1.7
  private union(ports: Rule["ports"], destination: EndClass | undefined): PortSetId {
    if (ports === "every") return everyPort;
    let all = noPorts;
    for (const port of ports) all = this.sets.union(all, this.ofMatch(port, destination));
    return all;
  }

  private ofMatch(port: PortMatch, destination: EndClass | undefined): PortSetId {
    switch (port.kind) {
      case "range":
        return this.sets.range(port.protocol, port.first, port.last);
      case "named": {
        if (destination?.kind !== "pod" || destination.sample.kind !== "pod") return noPorts;
        let all = noPorts;
        for (const { name, protocol, port: number } of destination.sample.pod.ports)
          if (name === port.name && transports.includes(protocol) && protocol === (port.protocol ?? protocol))
            all = this.sets.union(all, this.sets.range(protocol, number, number));
        return all;
      }
      case "icmp": {
        const fits = this.family === undefined || this.family === port.family;
        const echo = port.type === 0 || port.type === echoRequest[port.family];
        return fits && echo ? this.sets.range("ICMP", 0, 0) : noPorts;
      }
    }
  }
}
