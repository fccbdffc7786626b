import type { Cluster } from "../../cluster/model.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { namespaceNameLabel } from "../../labels/requirement.js";
import type { EndClass, Member } from "./ends.js";
import { type Nearness, nearnessOfNodes } from "../compile/layer.js";

/** The members of a class, one by one: for output, and for questions about one of them. */
export function* endpointsOf(cluster: Cluster, end: EndClass): Iterable<Endpoint> {
  for (const pod of end.pods) yield endpointOf(cluster, end, pod);
  for (const node of end.nodes) yield endpointOf(cluster, end, node);
}

export function endpointOf(cluster: Cluster, { sample }: EndClass, member: Member): Endpoint {
  if (!("namespace" in member)) return { kind: "node", node: member };
  const name = member.namespace;
  const namespace =
    sample.kind === "pod" && sample.namespace.name === name
      ? sample.namespace
      : (cluster.namespaces.get(name) ?? { name, labels: { [namespaceNameLabel]: name } });
  return { kind: "pod", pod: member, namespace };
}

export const nearnessOf = (a: Endpoint, b: Endpoint): Nearness => nearnessOfNodes(nodeOf(a), nodeOf(b));

/** The node an end is, or runs on, where that is known. */
export function nodeOf(end: Endpoint): string | undefined {
  return end.kind === "pod" ? end.pod.node : end.kind === "node" ? end.node.name : undefined;
}
