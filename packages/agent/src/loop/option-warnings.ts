import type { Inventory } from "@tierwall/core/model";
import type { NodeOptions } from "../ruleset/program.js";

/** Why what a node is told to enforce may not be what was meant. */
export function optionWarnings(
  options: Pick<NodeOptions, "node" | "unknownPods" | "localRanges" | "forgedSources">,
  { nodes }: Pick<Inventory, "nodes">,
): readonly string[] {
  const { node, unknownPods, localRanges, forgedSources } = options;
  return [
    ...(nodes.has(node) ? [] : [`there is no node ${node}, and no pod runs on it: is --node right?`]),
    ...(localRanges.length > 0 || unknownPods === "allow"
      ? []
      : [
          `node ${node} has no podCIDRs, and no --pod-range is given: pods that are not known yet cannot be distinguished from other addresses, and are not held back`,
        ]),
    ...(localRanges.length > 0 && unknownPods === "deny" && forgedSources === "pass"
      ? [
          "this kernel does not let rules ask by which device an address is reached, as Linux 5.19 and newer do: what a pod sends from an address that is not its own may get around its egress rules; set net.ipv4.conf.all.rp_filter=1, and see docs/explanation/agent/attackers.md",
        ]
      : []),
  ];
}
