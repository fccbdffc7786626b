import type { Inventory } from "@tierwall/core/model";
import type { NodeOptions } from "../ruleset/program.js";

/** Warnings about options that do not fit the node. */
export function optionWarnings(
  options: Pick<NodeOptions, "node" | "unknownPods" | "localRanges" | "forgedSources">,
  { nodes }: Pick<Inventory, "nodes">,
): readonly string[] {
  const { node, unknownPods, localRanges, forgedSources } = options;
  return [
    ...(nodes.has(node) ? [] : [`there is no node ${node}, and no pod runs on it: check --node`]),
    ...(localRanges.length > 0 || unknownPods === "allow"
      ? []
      : [
          `node ${node} has no podCIDRs, and --pod-range is not set: unknown pods cannot be distinguished from other addresses and are not denied`,
        ]),
    ...(localRanges.length > 0 && unknownPods === "deny" && forgedSources === "pass"
      ? [
          "the rules cannot check through which device an address is reached, because this kernel is older than Linux 5.19: a pod that sends from a spoofed address can evade its egress rules; set net.ipv4.conf.all.rp_filter=1, and see docs/explanation/agent/attackers.md",
        ]
      : []),
  ];
}
