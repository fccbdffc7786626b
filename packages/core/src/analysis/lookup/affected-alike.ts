import { type EndClass, type Engine, nodeOf, sizeOf } from "../../engine/index.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { grouped } from "../../collections/maps.js";

/** Groups endpoints that no rule can distinguish: mostly replicas. */
export function affectedAlike(engine: Engine, ends: readonly Endpoint[]): readonly (readonly Endpoint[])[] {
  const around = new Map<string | undefined, string>();
  const keyOf = (end: Endpoint) => {
    const found = engine.ends.classOf(end);
    if (found === undefined) return end;
    const node = nodeOf(end);
    if (!around.has(node)) around.set(node, hostsAround(engine, node));
    return `${found.index} ${around.get(node)}`;
  };
  return [...grouped(ends, keyOf).values()];
}

/** S1.6: what kinds of hosts are on a node, and whether there are such on others as well. */
function hostsAround({ ends }: Engine, node: string | undefined): string {
  if (node === undefined) return "?";
  const isThere = ({ pods, nodes }: EndClass) =>
    pods.filter((pod) => pod.node === node).length + nodes.filter(({ name }) => name === node).length;
  return ends.hostClasses
    .map((index) => ends.classes[index]!)
    .filter((host) => isThere(host) > 0)
    .map((host) => `${host.index}${isThere(host) < sizeOf(host) ? "+" : ""}`)
    .join();
}
