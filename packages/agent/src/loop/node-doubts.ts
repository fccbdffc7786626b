import type { Cluster } from "@tierwall/core";
import type { NodeOptions } from "../ruleset/program.js";

/** Why what a node is told to enforce may not be what was meant. */
export function nodeDoubts(
  { node, unknownPods, localRanges }: Pick<NodeOptions, "node" | "unknownPods" | "localRanges">,
  { nodes }: Pick<Cluster, "nodes">,
): readonly string[] {
  return [
    ...(nodes.has(node) ? [] : [`there is no node ${node}, and no pod runs on it: is --node right?`]),
    ...(localRanges.length > 0 || unknownPods === "allow"
      ? []
      : [
          `node ${node} has no podCIDRs, and no --pod-range is given: pods that are not known yet cannot be told from other addresses, and are not held back`,
        ]),
  ];
}
