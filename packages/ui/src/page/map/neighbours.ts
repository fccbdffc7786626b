import type { EdgeLook } from "../worker/questions/map.js";
import type { Graph, GraphEdge } from "./graph.js";
import { titleOf } from "./graph.js";

/** Neighbours of one node that are all connected with it in the same way. */
export interface NeighbourGroup {
  readonly look: EdgeLook;
  readonly edges: readonly GraphEdge[];
}

/** The sources or the destinations of a node: a group for each set of ports, the widest and largest first. */
export function neighboursOf(
  graph: Graph,
  node: number,
  side: "incoming" | "outgoing",
): readonly NeighbourGroup[] {
  const groups = new Map<EdgeLook, GraphEdge[]>();
  for (const edge of graph[side][node] ?? []) {
    const known = groups.get(edge.look);
    if (known === undefined) groups.set(edge.look, [edge]);
    else known.push(edge);
  }
  const other = ({ from, to }: GraphEdge) => titleOf(graph.nodes[side === "incoming" ? from : to]!);
  return [...groups]
    .map(([look, edges]) => ({
      look,
      edges: edges.toSorted((a, b) => (other(a) < other(b) ? -1 : 1)),
    }))
    .toSorted(
      (a, b) =>
        b.look.weight - a.look.weight ||
        b.edges.length - a.edges.length ||
        (a.look.ports < b.look.ports ? -1 : 1),
    );
}
