import type { EdgeLook, MapAnswer } from "../worker/questions/map.js";
import type { MapNode } from "../worker/questions/map-nodes.js";

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly look: EdgeLook;
}

/** Nodes and edges, and which edges to draw where all of them would be a hairball. */
export interface Graph {
  readonly nodes: readonly MapNode[];
  /** By node: whether it is shown at all. */
  readonly isShown: readonly boolean[];
  readonly edges: readonly GraphEdge[];
  /** By node. */
  readonly outgoing: readonly (readonly GraphEdge[])[];
  readonly incoming: readonly (readonly GraphEdge[])[];
  /** By node: how many may reach it, and how many it may reach. With a tier or a policy chosen, denials are edges too, and not counted. */
  readonly reachedBy: readonly number[];
  readonly reaches: readonly number[];
  /** Nodes that nearly all others may reach, and nodes that may reach nearly all others: a number is clearer than lines. */
  readonly isOpenToMost: readonly boolean[];
  readonly reachesMost: readonly boolean[];
  /** The edges that are specific. */
  readonly drawn: readonly GraphEdge[];
}

export function graphOf({ nodes, meant, edges: flat, looks }: Extract<MapAnswer, { kind: "map" }>): Graph {
  const edges = Array.from({ length: flat.length / 3 }, (_, i) => ({
    from: flat[3 * i]!,
    to: flat[3 * i + 1]!,
    look: looks[flat[3 * i + 2]!]!,
  }));
  const outgoing = nodes.map((): GraphEdge[] => []);
  const incoming = nodes.map((): GraphEdge[] => []);
  for (const edge of edges) {
    outgoing[edge.from]!.push(edge);
    incoming[edge.to]!.push(edge);
  }
  const isShown = nodes.map((_, i) => meant[i]! || outgoing[i]!.length > 0 || incoming[i]!.length > 0);
  const others = (list: readonly GraphEdge[]) => list.filter(({ from, to }) => from !== to);
  const shownOthers = isShown.filter(Boolean).length - 1;
  const isFew = others(edges).length <= fewLines;
  const isMost = (list: readonly GraphEdge[], share: number) =>
    !isFew && list.length >= Math.max(5, shownOthers * share);
  const isOpenToMost = incoming.map((list) => isMost(others(list), 0.5));
  // A connection to a node that is open to most says little about its source.
  const reachesMost = outgoing.map((list) => {
    const all = others(list);
    return (
      isMost(all, 0.75) ||
      isMost(
        all.filter(({ to }) => !isOpenToMost[to]),
        0.5,
      )
    );
  });
  const drawn = edges.filter(({ from, to }) => from !== to && !isOpenToMost[to] && !reachesMost[from]);
  const open = (list: readonly GraphEdge[]) => list.filter(isOpen).length;
  return {
    nodes,
    isShown,
    edges,
    outgoing,
    incoming,
    reachedBy: incoming.map(open),
    reaches: outgoing.map(open),
    isOpenToMost,
    reachesMost,
    drawn,
  };
}

export const isOpen = ({ look }: GraphEdge): boolean => look.verdict !== "denied";

/** So few lines are always drawn. */
const fewLines = 30;
/** More lines than these cannot be followed. */
export const mostLines = 140;
/** More cards than these are tiles. */
export const mostCards = 60;

/** `shop/cart`, `shop`, `nodes`: where it is clear that it is about names on the map. */
export const shortTitleOf = ({ kind, card, name }: MapNode): string =>
  kind === "workload" ? `${card}/${name}` : name;

/** `shop/cart`, `namespace shop`, `nodes`. */
export function titleOf({ kind, card, name }: MapNode): string {
  switch (kind) {
    case "workload":
      return `${card}/${name}`;
    case "namespace":
      return `namespace ${name}`;
    case "nodes":
    case "outside":
      return name;
  }
}
