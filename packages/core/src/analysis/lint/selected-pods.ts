import { getOrInsert } from "../../collections/maps.js";
import type { Cluster, Namespace } from "../../cluster/model.js";
import { matchKey } from "../../engine/index.js";
import type { PodEndpoint } from "../../evaluate/flow.js";
import { isSubject } from "../../evaluate/match.js";
import { type LabelMatch, namespaceNameLabel, selects } from "../../labels/requirement.js";
import type { PodSelection } from "../../policy/model.js";

/** The pods of a cluster by selection. Thousands of policies ask, and most of them for one namespace. */
export class SelectedPods {
  private readonly byNamespace = new Map<string, PodEndpoint[]>();
  private readonly known = new Map<string, readonly PodEndpoint[]>();

  constructor(private readonly cluster: Cluster) {
    for (const pod of cluster.pods.values()) {
      const namespace = cluster.namespaces.get(pod.namespace);
      if (namespace === undefined || pod.hostNetwork) continue;
      const others = this.byNamespace.get(pod.namespace);
      const endpoint = { kind: "pod", pod, namespace } as const;
      if (others === undefined) this.byNamespace.set(pod.namespace, [endpoint]);
      else others.push(endpoint);
    }
  }

  of(selection: PodSelection): readonly PodEndpoint[] {
    const key = [selection.namespaces, selection.pods, selection.account ?? []].map(matchKey).join("\n");
    return getOrInsert(this.known, key, () =>
      this.namespacesOf(selection.namespaces).flatMap(({ name }) =>
        (this.byNamespace.get(name) ?? []).filter((pod) => isSubject(selection, pod)),
      ),
    );
  }

  /** A namespace that is asked for by its name need not be looked for. */
  private namespacesOf(match: LabelMatch): readonly Namespace[] {
    const named = match.find(({ key, operator }) => key === namespaceNameLabel && operator === "In");
    const candidates =
      named === undefined
        ? [...this.cluster.namespaces.values()]
        : named.values.flatMap((name) => this.cluster.namespaces.get(name) ?? []);
    return candidates.filter(({ labels }) => selects(match, labels));
  }
}
