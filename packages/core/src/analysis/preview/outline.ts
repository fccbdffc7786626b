import { getOrInsert } from "../../collections/maps.js";
import {
  type ChangedBlock,
  type Engine,
  type FlowExplanation,
  type Pair,
  realPorts,
} from "../../engine/index.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import { flowBetween, likelyPort } from "../endpoints/example-flow.js";

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

export function outlineOf(engines: Engines, changed: readonly ChangedBlock[]): ChangeOutline {
  const gatherings = {
    Deny: new Gathering(engines),
    Allow: new Gathering(engines),
    Undecided: new Gathering(engines),
  };
  const { ports } = engines[1];
  const real = realPorts(ports);
  for (const block of changed) {
    const { before, after } = block;
    const could = ports.union(before.allowed, before.undecided);
    const can = ports.union(after.allowed, after.undecided);
    const add = (verdict: Verdict, become: PortSetId) => {
      const those = ports.intersect(real, become);
      if (those !== noPorts) gatherings[verdict].add(block, those);
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
  private readonly outside = new Map<object, Set<string>>();

  constructor(private readonly engines: Engines) {}

  add(block: ChangedBlock, ports: PortSetId): void {
    for (const pair of block.pairs()) {
      if (this.isCounted(pair, block)) continue;
      const { after: from } = pair.source;
      const source =
        from.kind === "external" ? "outside" : from.kind === "node" ? "nodes" : from.pod.namespace;
      this.bySource.set(source, (this.bySource.get(source) ?? 0) + 1);
      if (this.examples.size < mostExamples && !this.examples.has(source))
        this.examples.set(source, this.example(pair, block, ports));
    }
  }

  private isCounted({ source, destination }: Pair, { family, from, to }: ChangedBlock): boolean {
    if (from.kind !== "external" && to.kind !== "external") return false;
    const inside = from.kind === "external" ? destination.after : source.after;
    const member = inside.kind === "pod" ? inside.pod : inside.kind === "node" ? inside.node : inside;
    const seen = getOrInsert(this.outside, member, () => new Set());
    const key = `${from.kind} ${family}`;
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  }

  private example(
    { source, destination }: Pair,
    { family }: ChangedBlock,
    ports: PortSetId,
  ): OutlinedExample {
    const [before, after] = this.engines;
    const port = likelyPort(after.ports, ports, destination.after);
    const flow = flowBetween(source.after, destination.after, port, family);
    return { flow, before: before.explain(flow), after: after.explain(flow) };
  }

  all(): OutlinedChanges {
    const bySource = new Map([...this.bySource].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
    const connections = [...bySource.values()].reduce((sum, count) => sum + count, 0);
    return { connections, bySource, examples: [...this.examples.values()] };
  }
}
