import type { Cluster, Namespace, Node, Pod } from "../../cluster/model.js";
import type { Endpoint } from "../../evaluate/flow.js";
import type { Tiers } from "../../policy/model.js";
import type { ChangedBlock } from "./changed-block.js";

/** What is another way now. What is not mentioned is as it was. */
export interface Update {
  /** The policies as they are now. Rules that stay must be the same objects. */
  readonly tiers?: Tiers;
  /** By `namespace/name`; undefined is gone. */
  readonly pods?: ReadonlyMap<string, Pod | undefined>;
  /** By name. */
  readonly namespaces?: ReadonlyMap<string, Namespace | undefined>;
  readonly nodes?: ReadonlyMap<string, Node | undefined>;
  readonly rest?: Partial<Pick<Cluster, "services" | "workloads" | "cidrGroups" | "facts">>;
}

export interface Changes {
  readonly appeared: readonly Endpoint[];
  readonly disappeared: readonly Endpoint[];
  /** Between ends that were there before and are there now. */
  readonly pairs: readonly ChangedBlock[];
}

/** A pod, and what became of it. */
export interface PodChange {
  readonly key: string;
  readonly before: Pod | undefined;
  readonly after: Pod | undefined;
}

export function podChanges(cluster: Cluster, { pods }: Update): readonly PodChange[] {
  return [...(pods ?? [])].flatMap(([key, after]) => {
    const before = cluster.pods.get(key);
    return before === after ? [] : { key, before, after };
  });
}

/** Whether nothing changes but policies, or nothing but pods. */
export const isOnly = (update: Update, what: "tiers" | "pods"): boolean =>
  (["tiers", "pods", "namespaces", "nodes", "rest"] as const).every(
    (part) => part === what || update[part] === undefined,
  );

export function clusterAfter(cluster: Cluster, { pods, namespaces, nodes, rest }: Update): Cluster {
  return {
    ...cluster,
    ...rest,
    pods: mapAfter(cluster.pods, pods),
    namespaces: mapAfter(cluster.namespaces, namespaces),
    nodes: mapAfter(cluster.nodes, nodes),
  };
}

function mapAfter<T>(
  before: ReadonlyMap<string, T>,
  changes: ReadonlyMap<string, T | undefined> | undefined,
): ReadonlyMap<string, T> {
  if (changes === undefined || changes.size === 0) return before;
  const after = new Map(before);
  for (const [key, value] of changes)
    if (value === undefined) after.delete(key);
    else after.set(key, value);
  return after;
}
