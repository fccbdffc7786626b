/** How large a generated cluster is, and how it is made up. Every count is exact. */
export interface Shape {
  /**
   * `realistic`: what platform teams write. `port-heavy`: every NetworkPolicy has ports, ranges and CIDRs of its own.
   * `adversarial`: realistic, but no two pods have the same labels, and policies look at all of them.
   */
  readonly style: "realistic" | "port-heavy" | "adversarial";
  readonly namespaces: number;
  readonly workloads: number;
  /** Pods of each workload. */
  readonly replicas: number;
  readonly policiesPerNamespace: number;
  readonly clusterPolicies: number;
}

const realistic = (
  namespaces: number,
  workloads: number,
  replicas: number,
  policiesPerNamespace: number,
): Shape => ({
  style: "realistic",
  namespaces,
  workloads,
  replicas,
  policiesPerNamespace,
  clusterPolicies: 100,
});

/** By pods / NetworkPolicies, with 100 ClusterNetworkPolicies each. */
export const shapes = {
  "1k/1k": realistic(50, 500, 2, 20),
  "2.4k/4.8k": { ...realistic(240, 1200, 2, 20), style: "port-heavy" },
  "10k/1k": realistic(100, 1_000, 10, 10),
  "100k/10k": realistic(1_000, 10_000, 10, 10),
  "1M/10k": realistic(1_000, 10_000, 100, 10),
  "adversarial/10k": { ...realistic(100, 1_000, 10, 10), style: "adversarial" },
} as const satisfies Record<string, Shape>;

/** The same workloads and policies, and ever more replicas. */
export function grown(replicas: number): Shape {
  return { ...shapes["10k/1k"], replicas };
}

export const podCount = ({ workloads, replicas }: Shape): number => workloads * replicas;
