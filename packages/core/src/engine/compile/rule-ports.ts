import { echoRequest } from "../../evaluate/match.js";
import type { Family } from "../../net/address.js";
import type { PortMatch, Protocol, Rule } from "../../policy/model.js";
import type { EndClass } from "../classes/ends.js";
import { everyPort, noPorts, offsets, type PortSetId, type PortSets } from "../../sets/port-sets.js";

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
    const ranges: Range[] = [];
    for (const port of ports) this.addRanges(port, destination, ranges);
    return ranges.length === 0 ? noPorts : this.sets.ofRanges(ranges);
  }

  private addRanges(port: PortMatch, destination: EndClass | undefined, ranges: Range[]): void {
    switch (port.kind) {
      case "range":
        ranges.push(rangeOf(port.protocol, port.first, port.last));
        break;
      case "named":
        if (destination?.kind !== "pod" || destination.sample.kind !== "pod") break;
        for (const { name, protocol, port: number } of destination.sample.pod.ports)
          if (name === port.name && protocol === (port.protocol ?? protocol))
            ranges.push(rangeOf(protocol, number, number));
        break;
      case "icmp": {
        const fits = this.family === undefined || this.family === port.family;
        const echo = port.type === 0 || port.type === echoRequest[port.family];
        if (fits && echo) ranges.push(rangeOf("ICMP", 0, 0));
      }
    }
  }
}

type Range = readonly [from: number, to: number];

const rangeOf = (protocol: Protocol, first: number, last: number): Range => [
  offsets[protocol] + first,
  offsets[protocol] + last + 1,
];
