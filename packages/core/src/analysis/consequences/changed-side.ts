import type { Cluster } from "../../cluster/model.js";
import { type ChangedPairs, type End, nodeNameOf } from "../../engine/changed-pairs.js";
import type { Member } from "../../engine/ends.js";
import type { Nearness } from "../../engine/layer.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { partyKey, partyOf } from "../party.js";

/** Pods and nodes at one side of changed pairs. */
export type InsideEnd = Extract<End, { kind: "ends" }>;

/** What is worth knowing of them. */
export interface ChangedSide {
  readonly members: readonly Member[];
  /** By partyKey; of pods only. */
  readonly workloads: ReadonlySet<string>;
  readonly countOn: ReadonlyMap<string | undefined, number>;
}

/** Found once for all pairs that they stand in: in a large cluster, each stands in thousands. */
export class ChangedSides {
  private readonly known = new Map<object, ChangedSide>();

  constructor(private readonly cluster: Cluster) {}

  of({ members: list, group }: InsideEnd): ChangedSide {
    const known = this.known.get(group);
    if (known !== undefined) return known;
    const members = list();
    const workloads = new Set<string>();
    const countOn = new Map<string | undefined, number>();
    for (const member of members) {
      const end = this.endpointOf(member);
      if (end.kind === "pod") workloads.add(partyKey(partyOf(end, "workload")));
      const node = nodeNameOf(member);
      countOn.set(node, (countOn.get(node) ?? 0) + 1);
    }
    const made = { members, workloads, countOn };
    this.known.set(group, made);
    return made;
  }

  /** How many pairs of different ends two sides make, that stand so to each other. */
  pairsBetween(from: InsideEnd, to: InsideEnd, nearness: Nearness | undefined): number {
    const [a, b] = [this.of(from), this.of(to)];
    const all = a.members.length * b.members.length - (from.group === to.group ? a.members.length : 0);
    if (nearness === undefined || nearness === "unknown-node") return all;
    let own = 0;
    for (const [node, count] of a.countOn) own += count * (b.countOn.get(node) ?? 0);
    return nearness === "own-node" ? own : all - own;
  }

  endpointOf(member: Member): Exclude<Endpoint, { kind: "external" }> {
    if (!("hostNetwork" in member)) return { kind: "node", node: member };
    const namespace = this.cluster.namespaces.get(member.namespace);
    return { kind: "pod", pod: member, namespace: namespace ?? { name: member.namespace, labels: {} } };
  }
}

/** Of changed pairs, each side of pods and nodes with each other one. */
export function* insidePairs({ from, to }: ChangedPairs): Iterable<readonly [InsideEnd, InsideEnd]> {
  for (const source of from)
    for (const destination of to)
      if (source.kind === "ends" && destination.kind === "ends") yield [source, destination];
}
