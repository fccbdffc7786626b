import { getOrInsert } from "../../collections/maps.js";
import {
  type AddressRange,
  type ChangedPairs,
  type Engine,
  type FlowExplanation,
  type Member,
  realPorts,
} from "../../engine/index.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import { externalAt, flowBetween, likelyPort } from "../endpoints/example-flow.js";
import { podEndpoint } from "../endpoints/resolve.js";

/** How many connections become what, and some of them. */
export type ChangeOutline = Readonly<Record<Verdict, OutlinedChanges>>;

export interface OutlinedChanges {
  /** Ordered pairs of pods and nodes, counted separately for each address family; all external addresses count as one endpoint. */
  readonly connections: number;
  /** By namespace of the source, or `nodes`, or `outside`; most first. */
  readonly bySource: ReadonlyMap<string, number>;
  readonly examples: readonly OutlinedExample[];
}

export interface OutlinedExample {
  readonly flow: Flow;
  readonly before: FlowExplanation;
  readonly after: FlowExplanation;
}

/** From as many namespaces as possible, for variety. */
const mostExamples = 5;

type Engines = readonly [before: Engine, after: Engine];

export function outlineOf(engines: Engines, changed: readonly ChangedPairs[]): ChangeOutline {
  const gatherings = {
    Deny: new Gathering(engines),
    Allow: new Gathering(engines),
    Undecided: new Gathering(engines),
  };
  const { ports } = engines[1];
  const real = realPorts(ports);
  for (const pairs of changed) {
    const { before, after } = pairs;
    const could = ports.union(before.allowed, before.undecided);
    const can = ports.union(after.allowed, after.undecided);
    const add = (verdict: Verdict, become: PortSetId) => {
      const those = ports.intersect(real, become);
      if (those !== noPorts) gatherings[verdict].add(pairs, those);
    };
    add("Deny", ports.subtract(could, can));
    add("Allow", ports.subtract(after.allowed, before.allowed));
    add("Undecided", ports.subtract(after.undecided, before.undecided));
  }
  return {
    Deny: gatherings.Deny.all(),
    Allow: gatherings.Allow.all(),
    Undecided: gatherings.Undecided.all(),
  };
}

class Gathering {
  private readonly bySource = new Map<string, number>();
  private readonly examples = new Map<string, OutlinedExample>();
  /** A pod and all external addresses count as one connection, however many ranges change. */
  private readonly outside = new Map<Member, Set<string>>();

  constructor(private readonly engines: Engines) {}

  add(changed: ChangedPairs, ports: PortSetId): void {
    for (const { from, to } of changed.pairs()) {
      if (this.isCounted(from, to, changed)) continue;
      const source = "first" in from ? "outside" : "hostNetwork" in from ? from.namespace : "nodes";
      this.bySource.set(source, (this.bySource.get(source) ?? 0) + 1);
      if (this.examples.size < mostExamples && !this.examples.has(source))
        this.examples.set(source, this.example(from, to, changed, ports));
    }
  }

  private isCounted(
    from: Member | AddressRange,
    to: Member | AddressRange,
    { family }: ChangedPairs,
  ): boolean {
    const inside = "first" in from ? to : "first" in to ? from : undefined;
    if (inside === undefined || "first" in inside) return false;
    const seen = getOrInsert(this.outside, inside, () => new Set());
    const key = `${"first" in from} ${family}`;
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  }

  private example(
    from: Member | AddressRange,
    to: Member | AddressRange,
    { family }: ChangedPairs,
    ports: PortSetId,
  ): OutlinedExample {
    const [before, after] = this.engines;
    const destination = this.endpoint(to);
    const port = likelyPort(after.ports, ports, destination);
    const flow = flowBetween(this.endpoint(from), destination, port, family);
    return { flow, before: before.explain(flow), after: after.explain(flow) };
  }

  private endpoint(end: Member | AddressRange): Endpoint {
    if ("first" in end) return externalAt(end);
    return "hostNetwork" in end ? podEndpoint(this.engines[1].cluster, end) : { kind: "node", node: end };
  }

  all(): OutlinedChanges {
    const bySource = new Map([...this.bySource].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
    const connections = [...bySource.values()].reduce((sum, count) => sum + count, 0);
    return { connections, bySource, examples: [...this.examples.values()] };
  }
}
