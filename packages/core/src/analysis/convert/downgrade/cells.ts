import type { Pod } from "../../../cluster/model.js";
import type { EndClass, Engine } from "../../../engine/index.js";
import type { Labels } from "../../../labels/requirement.js";

/** Pods that neither rules nor label selectors distinguish. */
export interface PodCell {
  readonly index: number;
  readonly namespace: string;
  readonly labels: Labels;
  /** As each of the engines knows them. */
  readonly classes: readonly EndClass[];
  readonly pods: Pod[];
}

/** The pods with their own network, as engines of the same cluster see them. */
export function cellsOf(engines: readonly Engine[]): readonly PodCell[] {
  const { cluster } = engines[0]!;
  const cells = new Map<string, PodCell>();
  for (const pod of cluster.pods.values()) {
    const classes = engines.flatMap((engine) => engine.ends.classOfMember(pod) ?? []);
    if (pod.hostNetwork || classes.length < engines.length) continue;
    const { namespace, labels } = pod;
    const sorted = JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const key = [...classes.map(({ index }) => index), namespace, sorted].join(" ");
    const known = cells.get(key);
    if (known !== undefined) known.pods.push(pod);
    else cells.set(key, { index: cells.size, namespace, labels, classes, pods: [pod] });
  }
  return [...cells.values()];
}
