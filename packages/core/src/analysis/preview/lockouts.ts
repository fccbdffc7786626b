import { getOrInsert } from "../../collections/maps.js";
import { type Cluster, type Pod, podKey } from "../../cluster/model.js";
import type {
  ChangedPart,
  ChangedParts,
  DirectionExplanation,
  Engine,
  FlowExplanation,
} from "../../engine/index.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Direction } from "../../policy/model.js";
import type { ChangeRow } from "../changes/changes.js";
import type { PortGroup } from "../matrix/port-groups.js";
import { type Grain, type Party, partiesOfPods } from "../endpoints/party.js";
import { deciderKey, numberOf } from "../decider-key.js";
import { flowBetween } from "../endpoints/example-flow.js";
import { podEndpoint } from "../endpoints/resolve.js";
import { type Lifeline, lifelinesOf, type LifelineTarget } from "../lifelines/lifelines.js";
import { type LostLifeline, LostLifelines, lostWithFamilies } from "../lifelines/lost-lifelines.js";

/** Pods that lose an essential connection. */
export interface Lockout {
  readonly from: Lifeline | "kubelet probes";
  /** Undecided: they may lose it, depending on missing information. */
  readonly after: "Deny" | "Undecided";
  readonly parties: readonly Party[];
  /** In how many connections. */
  readonly connections: number;
  readonly ports: readonly PortGroup[];
  /** The deciders, by direction. */
  readonly decided: readonly SaidIn[];
  readonly example: Flow;
}

export interface SaidIn {
  readonly direction: Direction;
  readonly said: DirectionExplanation;
}

export interface Lockouts {
  readonly found: readonly Lockout[];
  /** What could not be checked, as it is not in the input. */
  readonly unchecked: readonly Lifeline[];
}

/** Connections that were allowed, to where DNS and the API server were found before. */
export class LockoutSearch {
  private readonly targets: readonly LifelineTarget[];
  private readonly known: ReadonlySet<Lifeline>;
  private readonly lifelines: LostLifelines;
  private readonly lost: LostLifeline[] = [];

  constructor(private readonly parts: ChangedParts) {
    const { before, after } = parts.difference.ends;
    const found = lifelinesOf(before.cluster);
    this.known = new Set(found.map(({ lifeline }) => lifeline));
    this.targets = found.flatMap((target) => {
      const end = sameIn(after.cluster, target.end);
      return end === undefined ? [] : [{ ...target, end }];
    });
    this.lifelines = new LostLifelines(this.targets);
  }

  add({ from, to, family, meant, changes }: ChangedPart): void {
    if (from.kind === "external") return;
    const { before, after } = this.parts.difference.ends;
    const inBoth = (end: Endpoint) => ({ before: sameIn(before.cluster, end)!, after: end });
    const lost = this.lifelines.in({
      from: from.joint.membersAfter,
      to: to.kind === "external" ? to.range : { members: to.joint.membersAfter },
      family,
      instead: ({ protocol, port }) =>
        changes.find(
          (change) => change.before === "Allow" && this.parts.ports.contains(change.ports, protocol, port),
        )?.after,
      isMeant: (pod, server) =>
        meant === "all" ||
        meant({ source: inBoth(podEndpoint(after.cluster, pod)), destination: inBoth(server) }),
    });
    for (const one of lost) this.lost.push(one);
  }

  /** `rows` are the changes that were checked. */
  all(engine: Engine, rows: readonly ChangeRow[], grain: Grain): Lockouts {
    return {
      found: [...this.lockouts(engine, grain), ...lostProbes(rows)],
      unchecked: (["DNS", "API server"] as const).filter((lifeline) => !this.known.has(lifeline)),
    };
  }

  private lockouts(engine: Engine, grain: Grain): readonly Lockout[] {
    const { ends } = this.parts.difference;
    const key = ({ pod, target }: LostLifeline) => `${this.targets.indexOf(target)} ${podKey(pod)}`;
    const known = new Set(this.lost.map(key));
    for (const target of this.targets) {
      const server = { before: sameIn(ends.before.cluster, target.end)!, after: target.end };
      for (const lost of lostWithFamilies(ends, target, server))
        if (!known.has(key(lost))) this.lost.push(lost);
    }
    const places = new Map([...engine.cluster.pods.values()].map((pod, i) => [pod, i]));
    const placeOf = ({ pod, target, family }: LostLifeline) =>
      [places.get(pod)!, this.targets.indexOf(target), family ?? 7] as const;
    const losses = new Losses(engine);
    const inOrder = this.lost.map((lost) => ({ lost, place: placeOf(lost) }));
    for (const { lost } of inOrder.toSorted((a, b) => comparePlaces(a.place, b.place))) {
      const { target, after, pod, family } = lost;
      const source = podEndpoint(engine.cluster, pod);
      losses.add(target, after, pod, flowBetween(source, target.end, target, family));
    }
    return losses.all(grain);
  }
}

type LossPlace = readonly [pod: number, target: number, family: number];

const comparePlaces = (a: LossPlace, b: LossPlace): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

interface Loss {
  readonly lockout: Omit<Lockout, "parties" | "connections">;
  /** What is lost, and by which rules. */
  readonly who: string;
  readonly pods: Set<Pod>;
  connections: number;
}

/** Groups what is lost because of the same rules. */
class Losses {
  private readonly found = new Map<string, Loss>();

  constructor(private readonly after: Engine) {}

  add({ lifeline, protocol, port }: LifelineTarget, verdict: Lockout["after"], pod: Pod, flow: Flow): void {
    const decided = saidSo(this.after.explain(flow), verdict);
    const who = decided.flatMap(({ direction, said }) => [direction, ...said.deciders.map(deciderKey)]);
    const what = `${lifeline} ${verdict} ${who.join()}`;
    const key = `${port}/${protocol} ${what}`;
    const ports: readonly PortGroup[] = [{ protocol, ranges: [[port, port]] }];
    const known = getOrInsert(this.found, key, () => ({
      lockout: { from: lifeline, after: verdict, ports, decided, example: flow },
      who: what,
      pods: new Set<Pod>(),
      connections: 0,
    }));
    known.pods.add(pod);
    known.connections++;
  }

  /** What the same pods lose because of the same rules is one lockout, even with several ports. */
  all(grain: Grain): readonly Lockout[] {
    const merged = new Map<string, Loss>();
    for (const loss of this.found.values()) {
      const key = `${loss.who} ${Array.from(loss.pods, numberOf).join()}`;
      const known = merged.get(key);
      merged.set(key, known === undefined ? loss : joined(known, loss));
    }
    return Array.from(merged.values(), ({ lockout, pods, connections }) => ({
      ...lockout,
      parties: partiesOfPods(pods, grain),
      connections,
    })).toSorted((a, b) => b.connections - a.connections);
  }
}

const joined = (a: Loss, b: Loss): Loss => ({
  ...a,
  lockout: { ...a.lockout, ports: [...a.lockout.ports, ...b.lockout.ports] },
  connections: a.connections + b.connections,
});

/** The deciders. */
const saidSo = (explanation: FlowExplanation, verdict: Verdict): readonly SaidIn[] =>
  (["egress", "ingress"] as const)
    .map((direction) => ({ direction, said: explanation[direction] }))
    .filter(({ said }) => said.verdict === verdict);

/** The same endpoint in another state; an address is the same everywhere. */
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

/** S1.6, S7.8: connections that a pod's own node could open before, and no longer can. Probes use TCP. */
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
