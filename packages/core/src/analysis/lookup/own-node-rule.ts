import type { Cluster } from "../../cluster/model.js";
import { nearnessOf } from "../../engine/index.js";
import { explore } from "../../evaluate/facts.js";
import type { Endpoint, PodEndpoint } from "../../evaluate/flow.js";
import { anyPeerMatches } from "../../evaluate/match.js";
import type { Rule } from "../../policy/model.js";
import { podEndpoint } from "../endpoints/resolve.js";

/** S1.6: whether a rule without matches would match the node of its subject, which reaches the pod regardless of rules. */
export function isOnlyForOwnNode(cluster: Cluster, rule: Rule, subject: PodEndpoint): boolean {
  if (rule.origin.direction !== "ingress") return false;
  return hostsNear(cluster, subject).some((host) =>
    explore((unknowns) => {
      const flow = { source: host, destination: subject, protocol: "TCP", port: 1 } as const;
      return anyPeerMatches(rule, subject, host, { flow, cluster, unknowns });
    }).some((run) => run.value),
  );
}

/** The node that a pod runs on, or may run on, and the pods in that node's network. */
function hostsNear(cluster: Cluster, subject: PodEndpoint): readonly Endpoint[] {
  const nodes = [...cluster.nodes.values()].map((node): Endpoint => ({ kind: "node", node }));
  const pods = [...cluster.pods.values()]
    .filter(({ hostNetwork }) => hostNetwork)
    .map((pod) => podEndpoint(cluster, pod));
  return [...nodes, ...pods].filter((host) => nearnessOf(subject, host) !== "other-node");
}
