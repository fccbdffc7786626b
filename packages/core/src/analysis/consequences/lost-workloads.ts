import { getOrInsert } from "../../collections/maps.js";
import type { Cluster, Pod } from "../../cluster/model.js";
import { type ChangedPairs, type End, nearnessOfMembers } from "../../engine/index.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { type Party, partiesOfPods } from "../endpoints/party.js";
import type { Reader } from "../endpoints/reader.js";
import { type Lifeline, lifelinesOf, type LifelineTarget } from "../lifelines/lifelines.js";
import { LostLifelines, memberOf } from "../lifelines/lost-lifelines.js";
import type { ChangedSides } from "./changed-side.js";

/** Workloads that could reach the cluster's DNS or API server, and no longer can. */
export interface WorkloadsWithout {
  readonly lifeline: Lifeline;
  /** Those that the reader may see. */
  readonly workloads: readonly Party[];
  /** How many others there are. */
  readonly hidden: number;
  /** Where some of them found it. */
  readonly server: Endpoint;
  readonly protocol: "TCP" | "UDP";
  readonly port: number;
}

/** Finds them among pairs as these come. */
export class LostWorkloads {
  private readonly lifelines: LostLifelines;
  private readonly lost = new Map<Lifeline, { readonly target: LifelineTarget; readonly pods: Set<Pod> }>();

  constructor(
    cluster: Cluster,
    private readonly sides: ChangedSides,
    private readonly ports: PortSets,
    private readonly reader: Reader,
  ) {
    this.lifelines = new LostLifelines(lifelinesOf(cluster));
  }

  add(pairs: ChangedPairs): void {
    if (this.ports.subtract(pairs.before.allowed, pairs.after.allowed) === noPorts) return;
    for (const to of pairs.to)
      for (const from of pairs.from) if (from.kind === "ends") this.addBetween(from, to, pairs);
  }

  found(): readonly WorkloadsWithout[] {
    return Array.from(this.lost, ([lifeline, { target, pods }]) => {
      const shown = [...pods].filter(({ namespace }) =>
        this.reader.mayRead({ group: "", kind: "Pod", namespace }),
      );
      const workloads = partiesOfPods(shown, "workload");
      const hidden = partiesOfPods(pods, "workload").length - workloads.length;
      const { end: server, protocol, port } = target;
      return { lifeline, workloads, hidden, server, protocol, port };
    });
  }

  private addBetween(
    from: Extract<End, { kind: "ends" }>,
    to: End,
    { family, nearness, before, after }: ChangedPairs,
  ): void {
    const { ports } = this;
    const lost = this.lifelines.in({
      from: this.sides.of(from).members,
      to: to.kind === "external" ? to.range : this.sides.of(to),
      family,
      instead: ({ protocol, port }) => {
        const isAmong = (set: PortSetId) => ports.contains(set, protocol, port);
        if (!isAmong(before.allowed) || isAmong(after.allowed)) return undefined;
        return isAmong(after.undecided) ? "Undecided" : "Deny";
      },
      isMeant: (pod, server) => {
        const member = memberOf(server);
        return nearness === undefined || member === undefined || nearness === nearnessOfMembers(pod, member);
      },
    });
    for (const { target, pod, after: verdict } of lost) {
      if (verdict !== "Deny") continue;
      const known = getOrInsert(this.lost, target.lifeline, () => ({ target, pods: new Set<Pod>() }));
      known.pods.add(pod);
    }
  }
}
