import { type Cluster, type Pod, podKey } from "../../cluster/model.js";
import { canTalk, type DirectionExplanation, type Engine, type FlowExplanation } from "../../engine/index.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Decider } from "../../evaluate/walk.js";
import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import type { ChangeRow } from "../changes/changes.js";
import type { PortGroup } from "../matrix/port-groups.js";
import { type Grain, type Party, partiesOfPods } from "../endpoints/party.js";
import { flowBetween } from "../endpoints/example-flow.js";
import { podEndpoint } from "../endpoints/resolve.js";
import { type Lifeline, lifelinesOf, type LifelineTarget } from "./lifelines.js";

/** Pods that lose what they can hardly do without. */
export interface Lockout {
  readonly from: Lifeline | "kubelet probes";
  /** Undecided: they may lose it, which hangs on what is not known. */
  readonly after: "Deny" | "Undecided";
  readonly parties: readonly Party[];
  /** In how many connections. */
  readonly connections: number;
  readonly ports: readonly PortGroup[];
  /** Who says so, in which direction. */
  readonly decided: readonly SaidIn[];
  readonly example: Flow;
}

export interface SaidIn {
  readonly direction: Direction;
  readonly said: DirectionExplanation;
}

export interface Lockouts {
  readonly found: readonly Lockout[];
  /** What could not be looked at, as the input does not tell where it is. */
  readonly unchecked: readonly Lifeline[];
}

/** Connections that were allowed, to where DNS and the API server were found before. */
export function lockouts(before: Engine, after: Engine, rows: readonly ChangeRow[], grain: Grain): Lockouts {
  const targets = lifelinesOf(before.cluster);
  const known = new Set(targets.map(({ lifeline }) => lifeline));
  return {
    found: [...lostLifelines(before, after, targets, grain), ...lostProbes(rows)],
    unchecked: (["DNS", "API server"] as const).filter((lifeline) => !known.has(lifeline)),
  };
}

function lostLifelines(
  before: Engine,
  after: Engine,
  targets: readonly LifelineTarget[],
  grain: Grain,
): readonly Lockout[] {
  const losses = new Losses(after);
  for (const pod of after.cluster.pods.values()) {
    const former = before.cluster.pods.get(podKey(pod));
    if (former === undefined || pod.hostNetwork) continue;
    const [was, is] = [podEndpoint(before.cluster, former), podEndpoint(after.cluster, pod)];
    for (const target of targets) {
      const end = sameIn(after.cluster, target.end);
      const isUsed = target.onlyOnNode === undefined || target.onlyOnNode === pod.node;
      if (!isUsed || end === undefined || (end.kind === "pod" && end.pod === pod)) continue;
      for (const family of familiesOf(before, was, target.end)) {
        if (before.verdict(flowBetween(was, target.end, target, family)) !== "Allow") continue;
        const flow = flowBetween(is, end, target, family);
        const verdict = after.verdict(flow);
        if (verdict !== "Allow") losses.add(target, verdict, pod, flow);
      }
    }
  }
  return losses.all(grain);
}

interface Loss {
  readonly lockout: Omit<Lockout, "parties" | "connections">;
  /** What is lost, and to whom. */
  readonly who: string;
  readonly pods: Set<Pod>;
  connections: number;
}

/** Puts together what is lost to the same rules. */
class Losses {
  private readonly found = new Map<string, Loss>();
  private readonly numbers = new Map<object, number>();

  constructor(private readonly after: Engine) {}

  add({ lifeline, protocol, port }: LifelineTarget, verdict: Lockout["after"], pod: Pod, flow: Flow): void {
    const decided = saidSo(this.after.explain(flow), verdict);
    const who = decided.flatMap(({ direction, said }) => [
      direction,
      ...said.deciders.map((by) => this.keyOf(by)),
    ]);
    const what = `${lifeline} ${verdict} ${who.join()}`;
    const key = `${port}/${protocol} ${what}`;
    const ports: readonly PortGroup[] = [{ protocol, ranges: [[port, port]] }];
    const known = this.found.get(key) ?? {
      lockout: { from: lifeline, after: verdict, ports, decided, example: flow },
      who: what,
      pods: new Set<Pod>(),
      connections: 0,
    };
    known.pods.add(pod);
    known.connections++;
    this.found.set(key, known);
  }

  /** What the same pods lose to the same rules is one lockout, though it be several ports. */
  all(grain: Grain): readonly Lockout[] {
    const merged = new Map<string, Loss>();
    for (const loss of this.found.values()) {
      const key = `${loss.who} ${[...loss.pods].map((pod) => this.numberOf(pod)).join()}`;
      const known = merged.get(key);
      merged.set(key, known === undefined ? loss : joined(known, loss));
    }
    return Array.from(merged.values(), ({ lockout, pods, connections }) => ({
      ...lockout,
      parties: partiesOfPods(pods, grain),
      connections,
    })).toSorted((a, b) => b.connections - a.connections);
  }

  private keyOf(by: Decider): string {
    const things: readonly object[] =
      by.kind === "rule" ? [by.rule] : by.kind === "isolation" ? by.isolation : [];
    return `${by.kind} ${things.map((thing) => this.numberOf(thing)).join("+")}`;
  }

  private numberOf(thing: object): number {
    const known = this.numbers.get(thing) ?? this.numbers.size;
    this.numbers.set(thing, known);
    return known;
  }
}

const joined = (a: Loss, b: Loss): Loss => ({
  ...a,
  lockout: { ...a.lockout, ports: [...a.lockout.ports, ...b.lockout.ports] },
  connections: a.connections + b.connections,
});

/** Those who say so. */
const saidSo = (explanation: FlowExplanation, verdict: Verdict): readonly SaidIn[] =>
  (["egress", "ingress"] as const)
    .map((direction) => ({ direction, said: explanation[direction] }))
    .filter(({ said }) => said.verdict === verdict);

/** The same end in another state; an address is the same everywhere. */
function sameIn(cluster: Cluster, end: Endpoint): Endpoint | undefined {
  switch (end.kind) {
    case "pod": {
      const pod = cluster.pods.get(podKey(end.pod));
      return pod && podEndpoint(cluster, pod);
    }
    case "node": {
      const node = cluster.nodes.get(end.node.name);
      return node && { kind: "node", node };
    }
    case "external":
      return end;
  }
}

// S1.15
function familiesOf({ ends }: Engine, a: Endpoint, b: Endpoint): readonly (Family | undefined)[] {
  const of = (end: Endpoint) =>
    end.kind === "external" ? [end.address.family] : (ends.classOf(end)?.families ?? []);
  return ([4, 6, undefined] as const).filter((family) => canTalk(family, of(a), of(b)));
}

/** S1.6, S7.8: what a pod's own node could do before, and no longer can. Probes go over TCP. */
function lostProbes(rows: readonly ChangeRow[]): readonly Lockout[] {
  return rows.flatMap((row): readonly Lockout[] => {
    const { decided, after, to, ports, connections, example } = row;
    const own = decided.find(
      ({ direction, before }) =>
        direction === "ingress" && before.deciders.some(({ kind }) => kind === "own-node"),
    );
    const isProbed = ports.some(({ protocol }) => protocol === "any" || protocol === "TCP");
    if (own === undefined || after === "Allow" || to.kind !== "parties" || !isProbed) return [];
    const lost = [{ direction: own.direction, said: own.after }];
    const { parties } = to;
    return [{ from: "kubelet probes", after, parties, connections, ports, decided: lost, example }];
  });
}
