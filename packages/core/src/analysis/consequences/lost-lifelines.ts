import type { Cluster, Pod } from "../../cluster/model.js";
import { type ChangedPairs, type End, type Member, nearnessOfMembers } from "../../engine/index.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { type Party, partiesOfPods } from "../endpoints/party.js";
import { type Lifeline, lifelinesOf, type LifelineTarget } from "../preview/lifelines.js";
import type { Reader } from "../endpoints/reader.js";
import type { ChangedSides } from "./changed-side.js";

/** Workloads that could reach the cluster's DNS or API server, and no longer can. */
export interface LostLifeline {
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
export class LostLifelines {
  private readonly targets: readonly LifelineTarget[];
  private readonly targetsIn = new Map<object, readonly LifelineTarget[]>();
  private readonly losers = new Map<Lifeline, { readonly target: LifelineTarget; readonly pods: Set<Pod> }>();

  constructor(
    cluster: Cluster,
    private readonly sides: ChangedSides,
    private readonly ports: PortSets,
    private readonly reader: Reader,
  ) {
    this.targets = lifelinesOf(cluster);
  }

  /** `denied` are the ports that were allowed and no longer are. */
  add(pairs: ChangedPairs, denied: PortSetId): void {
    if (denied === noPorts) return;
    for (const to of pairs.to)
      for (const target of this.targetsAt(to))
        if (this.ports.contains(denied, target.protocol, target.port))
          for (const from of pairs.from) if (from.kind === "ends") this.lose(from, target, pairs);
  }

  found(): readonly LostLifeline[] {
    return Array.from(
      this.losers,
      ([
        lifeline,
        {
          target: { end, protocol, port },
          pods,
        },
      ]) => {
        const shown = [...pods].filter(({ namespace }) =>
          this.reader.mayRead({ group: "", kind: "Pod", namespace }),
        );
        const workloads = partiesOfPods(shown, "workload");
        const hidden = partiesOfPods(pods, "workload").length - workloads.length;
        return { lifeline, workloads, hidden, server: end, protocol, port };
      },
    );
  }

  private lose(
    from: Extract<End, { kind: "ends" }>,
    target: LifelineTarget,
    { nearness }: ChangedPairs,
  ): void {
    const server = memberOf(target.end);
    for (const member of this.sides.of(from).members) {
      if (!("hostNetwork" in member) || member.hostNetwork || member === server) continue;
      if (target.onlyOnNode !== undefined && target.onlyOnNode !== member.node) continue;
      if (nearness !== undefined && server !== undefined && nearness !== nearnessOfMembers(member, server))
        continue;
      const known = this.losers.get(target.lifeline) ?? { target, pods: new Set<Pod>() };
      this.losers.set(target.lifeline, known);
      known.pods.add(member);
    }
  }

  private targetsAt(end: End): readonly LifelineTarget[] {
    if (end.kind === "external") return this.targets.filter((target) => isWithin(target.end, end.range));
    const known = this.targetsIn.get(end.group);
    if (known !== undefined) return known;
    const members = new Set(this.sides.of(end).members);
    const found = this.targets.filter((target) => {
      const member = memberOf(target.end);
      return member !== undefined && members.has(member);
    });
    this.targetsIn.set(end.group, found);
    return found;
  }
}

function memberOf(end: Endpoint): Member | undefined {
  return end.kind === "pod" ? end.pod : end.kind === "node" ? end.node : undefined;
}

function isWithin(
  end: Endpoint,
  { family, first, last }: Extract<End, { kind: "external" }>["range"],
): boolean {
  if (end.kind !== "external" || end.address.family !== family) return false;
  return first <= end.address.value && end.address.value <= last;
}
