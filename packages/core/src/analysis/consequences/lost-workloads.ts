import { getOrInsert } from "../../collections/maps.js";
import type { Cluster, Pod } from "../../cluster/model.js";
import {
  type AddressRange,
  type ChangedBlock,
  groupsOf,
  type JointGroup,
  nearnessOf,
} from "../../engine/index.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { type Party, partiesOfPods } from "../endpoints/party.js";
import type { Reader } from "../endpoints/reader.js";
import { type Lifeline, lifelinesOf, type LifelineTarget } from "../lifelines/lifelines.js";
import { LostLifelines } from "../lifelines/lost-lifelines.js";
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

  add(block: ChangedBlock): void {
    if (this.ports.subtract(block.before.allowed, block.after.allowed) === noPorts) return;
    for (const to of block.to.kind === "ends" ? block.to.groups : block.to.ranges)
      for (const from of groupsOf(block.from)) this.addBetween(from, to, block);
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
    from: JointGroup,
    to: JointGroup | AddressRange,
    { family, nearness, before, after }: ChangedBlock,
  ): void {
    const { ports } = this;
    const lost = this.lifelines.in({
      from: this.sides.of(from).members,
      to: "first" in to ? to : this.sides.of(to),
      family,
      instead: ({ protocol, port }) => {
        const isAmong = (set: PortSetId) => ports.contains(set, protocol, port);
        if (!isAmong(before.allowed) || isAmong(after.allowed)) return undefined;
        return isAmong(after.undecided) ? "Undecided" : "Deny";
      },
      isMeant: (pod, server) =>
        nearness?.after === undefined || nearness.after === nearnessOf(this.sides.endpointOf(pod), server),
    });
    for (const { target, pod, after: verdict } of lost) {
      if (verdict !== "Deny") continue;
      const known = getOrInsert(this.lost, target.lifeline, () => ({ target, pods: new Set<Pod>() }));
      known.pods.add(pod);
    }
  }
}
