import type { Inventory, Labels } from "@tierwall/core/model";

/** Names and labels that the cluster has: what a policy most likely mentions. */
export interface ClusterWords {
  readonly namespaces: readonly string[];
  readonly labels: Readonly<Record<Labelled, LabelWords>>;
  readonly portNames: readonly string[];
}

export type Labelled = "namespaces" | "pods" | "nodes";

/** By key, the values that there are. */
export type LabelWords = ReadonlyMap<string, readonly string[]>;

export function clusterWords({ namespaces, pods, nodes }: Inventory): ClusterWords {
  const names = new Set([...pods.values()].flatMap(({ ports }) => ports.flatMap(({ name }) => name ?? [])));
  return {
    namespaces: [...namespaces.keys()].toSorted(),
    labels: {
      namespaces: labelWords(namespaces.values()),
      pods: labelWords(pods.values()),
      nodes: labelWords(nodes.values()),
    },
    portNames: [...names].toSorted(),
  };
}

function labelWords(ends: Iterable<{ readonly labels?: Labels }>): LabelWords {
  const found = new Map<string, Set<string>>();
  for (const { labels = {} } of ends)
    for (const [key, value] of Object.entries(labels)) {
      const known = found.get(key);
      if (known === undefined) found.set(key, new Set([value]));
      else known.add(value);
    }
  return new Map([...found].map(([key, values]) => [key, [...values].toSorted()]));
}
