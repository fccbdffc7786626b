import { getOrInsert } from "../../collections/maps.js";
import {
  type AddressRange,
  type ChangedBlock,
  type ChangedSide,
  groupsOf,
  type JointGroup,
  type Member,
  nearnessOf,
} from "../../engine/index.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import { externalAt, flowBetween, likelyPort } from "../endpoints/example-flow.js";
import { partyKey, partyOf } from "../endpoints/party.js";
import type { Reader } from "../endpoints/reader.js";
import type { ChangedSides } from "./changed-side.js";

/** Connections that change alike, counted. */
export interface ChangedConnections {
  /** Ordered pairs of pods and nodes, in each address family by itself; all that is outside counts as one end. */
  readonly connections: number;
  /** How many workloads have a part in them. */
  readonly workloads: number;
  /** How many of the connections have an end that the reader may not see. */
  readonly hidden: number;
  /** With an end that the reader may see; absent where there is none. */
  readonly example?: Flow;
}

/** Counts pairs as they arrive, and remembers the most informative one. */
export class ConnectionTally {
  private connections = 0;
  private hidden = 0;
  private readonly workloads = new Set<string>();
  private readonly seen = new Set<JointGroup>();
  private readonly withOutside = new Map<string, Set<Member>>();
  private best: { readonly flow: Flow; readonly rank: number } | undefined;

  constructor(
    private readonly sides: ChangedSides,
    private readonly ports: PortSets,
    private readonly reader: Reader,
  ) {}

  /** `changed` are the ports that change in the way that is counted here. */
  add(block: ChangedBlock, changed: PortSetId): void {
    if (changed === noPorts) return;
    const { from, to, family } = block;
    if (from.kind === "external") for (const group of groupsOf(to)) this.addOutside(`from ${family}`, group);
    else if (to.kind === "external") for (const group of from.groups) this.addOutside(`to ${family}`, group);
    else
      for (const source of from.groups) for (const other of to.groups) this.addInside(source, other, block);
    if (this.best?.rank !== highestRank) this.lookForExample(block, changed);
  }

  private addInside(source: JointGroup, destination: JointGroup, { nearness }: ChangedBlock): void {
    const { all, shown } = this.sides.pairsBetween(source, destination, nearness?.after);
    if (all === 0) return;
    this.connections += all;
    this.hidden += all - shown;
    this.note(source);
    this.note(destination);
  }

  found(): ChangedConnections | undefined {
    const { connections, hidden, best } = this;
    if (connections === 0 && best === undefined) return undefined;
    const example = best === undefined ? {} : { example: best.flow };
    return { connections, workloads: this.workloads.size, hidden, ...example };
  }

  private note(group: JointGroup): void {
    if (this.seen.has(group)) return;
    this.seen.add(group);
    for (const workload of this.sides.of(group).workloads) this.workloads.add(workload);
  }

  /** A pod and what is outside are one connection, however many ranges change. */
  private addOutside(direction: string, group: JointGroup): void {
    const counted = getOrInsert(this.withOutside, direction, () => new Set());
    for (const member of this.sides.of(group).members) {
      if (counted.has(member)) continue;
      counted.add(member);
      this.connections++;
      if (!this.reader.maySee(this.sides.endpointOf(member))) this.hidden++;
    }
    this.note(group);
  }

  private lookForExample(block: ChangedBlock, changed: PortSetId): void {
    for (const from of partsOf(block.from))
      for (const to of partsOf(block.to)) {
        const pair = this.pairOf(from, to, block);
        if (pair === undefined) continue;
        const [source, destination] = pair;
        const port = likelyPort(this.ports, changed, destination);
        const isSeen = [source, destination].filter((end) => this.reader.maySee(end)).length;
        if (!isSeenInPart(source, destination, isSeen)) continue;
        const rank = rankOf(source, destination, port.isDeclared) + (isSeen === 2 ? seenInFull : 0);
        if (rank <= (this.best?.rank ?? -1)) continue;
        this.best = { flow: flowBetween(source, destination, port, block.family), rank };
        if (rank === highestRank) return;
      }
  }

  /** Two different ends that stand to each other as is meant. */
  private pairOf(
    from: JointGroup | AddressRange,
    to: JointGroup | AddressRange,
    { nearness }: ChangedBlock,
  ): readonly [Endpoint, Endpoint] | undefined {
    for (const one of this.membersOf(from))
      for (const other of this.membersOf(to)) {
        if (one === other) continue;
        const [source, destination] = [this.endpointOf(one), this.endpointOf(other)];
        if (nearness?.after === undefined || nearness.after === nearnessOf(source, destination))
          return [source, destination];
      }
    return undefined;
  }

  private membersOf(part: JointGroup | AddressRange): readonly (Member | AddressRange)[] {
    return "first" in part ? [part] : this.sides.of(part).members;
  }

  private endpointOf(end: Member | AddressRange): Endpoint {
    return "first" in end ? externalAt(end) : this.sides.endpointOf(end);
  }
}

const partsOf = (side: ChangedSide): readonly (JointGroup | AddressRange)[] =>
  side.kind === "ends" ? side.groups : side.ranges;

/** What the reader may see on both sides comes before all else. */
const seenInFull = 10;
const highestRank = 4 + seenInFull;

/** An example that shows only the external endpoint is not informative. */
const isSeenInPart = (source: Endpoint, destination: Endpoint, seen: number): boolean =>
  seen === 2 || (seen === 1 && source.kind !== "external" && destination.kind !== "external");

/** Connections to another workload on a declared port are the most informative, those with external addresses the least. */
function rankOf(source: Endpoint, destination: Endpoint, isDeclared: boolean): number {
  if (source.kind === "external" || destination.kind === "external") return 0;
  if (source.kind === "node" || destination.kind === "node") return 1;
  const [from, to] = [source, destination].map((end) => partyKey(partyOf(end, "workload")));
  return 2 + Number(isDeclared) + Number(from !== to);
}
