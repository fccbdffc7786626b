import { getOrInsert } from "../../collections/maps.js";
import { type ChangedPairs, type End, type Member, nearnessOfMembers } from "../../engine/index.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import { externalAt, flowBetween, likelyPort } from "../endpoints/example-flow.js";
import { partyKey, partyOf } from "../endpoints/party.js";
import type { Reader } from "../endpoints/reader.js";
import { type ChangedSides, insidePairs } from "./changed-side.js";

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

/** Counts pairs as they come, and remembers the one that tells people most. */
export class ConnectionTally {
  private connections = 0;
  private hidden = 0;
  private readonly workloads = new Set<string>();
  private readonly seen = new Set<object>();
  private readonly withOutside = new Map<string, Set<Member>>();
  private best: { readonly flow: Flow; readonly rank: number } | undefined;

  constructor(
    private readonly sides: ChangedSides,
    private readonly ports: PortSets,
    private readonly reader: Reader,
  ) {}

  /** `changed` are the ports that change in the way that is counted here. */
  add(pairs: ChangedPairs, changed: PortSetId): void {
    if (changed === noPorts) return;
    for (const [source, destination] of insidePairs(pairs)) {
      const { all, shown } = this.sides.pairsBetween(source, destination, pairs.nearness);
      if (all === 0) continue;
      this.connections += all;
      this.hidden += all - shown;
      this.note(source);
      this.note(destination);
    }
    for (const end of pairs.from) if (end.kind === "ends") this.addOutside("from", end, pairs.to, pairs);
    for (const end of pairs.to) if (end.kind === "ends") this.addOutside("to", end, pairs.from, pairs);
    if (this.best?.rank !== highestRank) this.lookForExample(pairs, changed);
  }

  found(): ChangedConnections | undefined {
    const { connections, hidden, best } = this;
    if (connections === 0 && best === undefined) return undefined;
    const example = best === undefined ? {} : { example: best.flow };
    return { connections, workloads: this.workloads.size, hidden, ...example };
  }

  private note(end: Extract<End, { kind: "ends" }>): void {
    if (this.seen.has(end.group)) return;
    this.seen.add(end.group);
    for (const workload of this.sides.of(end).workloads) this.workloads.add(workload);
  }

  /** A pod and what is outside are one connection, however many ranges change. */
  private addOutside(
    side: "from" | "to",
    end: Extract<End, { kind: "ends" }>,
    others: readonly End[],
    { family }: ChangedPairs,
  ): void {
    if (!others.some(({ kind }) => kind === "external")) return;
    const key = `${side} ${family}`;
    const counted = getOrInsert(this.withOutside, key, () => new Set());
    for (const member of this.sides.of(end).members) {
      if (counted.has(member)) continue;
      counted.add(member);
      this.connections++;
      if (!this.reader.maySee(this.sides.endpointOf(member))) this.hidden++;
    }
    this.note(end);
  }

  private lookForExample(pairs: ChangedPairs, changed: PortSetId): void {
    for (const from of pairs.from)
      for (const to of pairs.to) {
        const pair = this.pairOf(from, to, pairs);
        if (pair === undefined) continue;
        const [source, destination] = pair;
        const port = likelyPort(this.ports, changed, destination);
        const isSeen = [source, destination].filter((end) => this.reader.maySee(end)).length;
        if (!isSeenInPart(source, destination, isSeen)) continue;
        const rank = rankOf(source, destination, port.isDeclared) + (isSeen === 2 ? seenInFull : 0);
        if (rank <= (this.best?.rank ?? -1)) continue;
        this.best = { flow: flowBetween(source, destination, port, pairs.family), rank };
        if (rank === highestRank) return;
      }
  }

  /** Two different ends that stand to each other as is meant. */
  private pairOf(from: End, to: End, { nearness }: ChangedPairs): readonly [Endpoint, Endpoint] | undefined {
    const [sources, destinations] = [this.someOf(from), this.someOf(to)];
    for (const source of sources)
      for (const destination of destinations) {
        if (source === destination) continue;
        if (nearness !== undefined && nearness !== nearnessOfMembers(source, destination)) continue;
        return [this.endpointOf(source), this.endpointOf(destination)];
      }
    return undefined;
  }

  private someOf(end: End): readonly (Member | Outside)[] {
    return end.kind === "ends" ? this.sides.of(end).members : [end.range];
  }

  private endpointOf(end: Member | Outside): Endpoint {
    return "first" in end ? externalAt(end) : this.sides.endpointOf(end);
  }
}

type Outside = Extract<End, { kind: "external" }>["range"];

/** What the reader may see on both sides comes before all else. */
const seenInFull = 10;
const highestRank = 4 + seenInFull;

/** An example of which only the outside is shown tells nothing. */
const isSeenInPart = (source: Endpoint, destination: Endpoint, seen: number): boolean =>
  seen === 2 || (seen === 1 && source.kind !== "external" && destination.kind !== "external");

/** Workloads that talk to others where these listen tell most, addresses of the outside least. */
function rankOf(source: Endpoint, destination: Endpoint, isDeclared: boolean): number {
  if (source.kind === "external" || destination.kind === "external") return 0;
  if (source.kind === "node" || destination.kind === "node") return 1;
  const [from, to] = [source, destination].map((end) => partyKey(partyOf(end, "workload")));
  return 2 + Number(isDeclared) + Number(from !== to);
}
