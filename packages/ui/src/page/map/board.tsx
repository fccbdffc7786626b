import { useEffect, useMemo, useRef, useState } from "react";
import { type BoardLayout, card, layoutBoard, lineBetween, rowMiddle } from "./board-layout.js";
import { lookClass, lookText } from "./edge-look.js";
import { type Graph, type GraphEdge, mostLines, titleOf } from "./graph.js";

export interface BoardProps {
  readonly graph: Graph;
  readonly selected: GraphEdge | undefined;
  readonly onFocus: (key: string) => void;
  readonly onEdge: (edge: GraphEdge) => void;
  readonly onFold: (namespace: string) => void;
}

/** Namespaces as cards with their workloads in them, and lines for what is particular about them. */
export function Board({ graph, selected, onFocus, onEdge, onFold }: BoardProps) {
  const box = useRef<HTMLDivElement>(null);
  const room = useWidth(box);
  const [pointed, setPointed] = useState<number>();
  const cards = useMemo(() => cardsOf(graph), [graph]);
  const layout = useMemo(() => layoutOf(graph, cards, room), [graph, cards, room]);
  const isCrowded = graph.drawn.length > mostLines;
  const lines =
    pointed === undefined
      ? isCrowded
        ? []
        : graph.drawn
      : graph.edges.filter(({ from, to }) => from !== to && (from === pointed || to === pointed));
  const near = new Set(lines.flatMap(({ from, to }) => [from, to]));
  return (
    <div className="board-scroll" ref={box}>
      <div className="board" style={{ width: layout.width, height: layout.height }}>
        <Lines
          graph={graph}
          cards={cards}
          layout={layout}
          lines={lines}
          selected={selected}
          onEdge={onEdge}
        />
        {cards.map(({ key, members }, c) => {
          const { x, y, height } = layout.cards[c]!;
          const [only] = members;
          const isFolded = graph.nodes[only!]!.kind !== "workload";
          return (
            <section
              key={key}
              className={`card ${isFolded ? "folded" : ""} ${graph.nodes[only!]!.kind}`}
              style={{ left: x, top: y, width: card.width, height }}
              aria-label={key}
            >
              <header style={{ height: card.title }}>
                {isFolded ? (
                  <NodeButton graph={graph} node={only!} {...{ pointed, near, setPointed, onFocus }} />
                ) : (
                  <h2>{key}</h2>
                )}
                {graph.nodes[only!]!.kind !== "nodes" && graph.nodes[only!]!.kind !== "outside" && (
                  <button
                    type="button"
                    className="fold"
                    aria-expanded={!isFolded}
                    aria-label={`workloads of ${key}`}
                    onClick={() => onFold(key)}
                  >
                    {isFolded ? "▸" : "▾"}
                  </button>
                )}
              </header>
              {!isFolded &&
                members.map((node) => (
                  <div className="card-row" key={node} style={{ height: card.row }}>
                    <NodeButton graph={graph} node={node} {...{ pointed, near, setPointed, onFocus }} />
                  </div>
                ))}
            </section>
          );
        })}
      </div>
    </div>
  );
}

interface NodeButtonProps {
  readonly graph: Graph;
  readonly node: number;
  readonly pointed: number | undefined;
  readonly near: ReadonlySet<number>;
  readonly setPointed: (node: number | undefined) => void;
  readonly onFocus: (key: string) => void;
}

function NodeButton({ graph, node, pointed, near, setPointed, onFocus }: NodeButtonProps) {
  const { key, kind, name } = graph.nodes[node]!;
  const incoming = graph.reachedBy[node]!;
  const outgoing = graph.reaches[node]!;
  const isDim = pointed !== undefined && pointed !== node && !near.has(node);
  return (
    <button
      type="button"
      className={`node ${kind} ${isDim ? "dim" : ""} ${pointed === node ? "pointed" : ""}`}
      aria-label={`${titleOf(graph.nodes[node]!)}: ${incoming} may reach it, it may reach ${outgoing}`}
      onPointerEnter={() => setPointed(node)}
      onPointerLeave={() => setPointed(undefined)}
      onFocus={() => setPointed(node)}
      onBlur={() => setPointed(undefined)}
      onClick={() => onFocus(key)}
    >
      {graph.isOpenToMost[node] && (
        <span className="hub" title={`${incoming} may reach it`}>
          {incoming} ▸
        </span>
      )}
      <span className="node-name">{name}</span>
      {graph.reachesMost[node] && (
        <span className="hub" title={`it may reach ${outgoing}`}>
          ▸ {outgoing}
        </span>
      )}
    </button>
  );
}

interface Card {
  readonly key: string;
  readonly members: readonly number[];
}

function cardsOf({ nodes, isShown }: Graph): readonly Card[] {
  const found = new Map<string, number[]>();
  for (const [i, node] of nodes.entries()) {
    if (!isShown[i]) continue;
    const known = found.get(node.card);
    if (known === undefined) found.set(node.card, [i]);
    else known.push(i);
  }
  return Array.from(found, ([key, members]) => ({ key, members }));
}

function layoutOf(graph: Graph, cards: readonly Card[], room: number): BoardLayout {
  const cardOf = new Map(cards.flatMap(({ members }, c) => members.map((node) => [node, c] as const)));
  const links = graph.drawn.map(({ from, to }) => ({ from: cardOf.get(from)!, to: cardOf.get(to)! }));
  const shapes = cards.map(({ key, members }) => ({
    key,
    rows: graph.nodes[members[0]!]!.kind === "workload" ? members.length : 0,
  }));
  return layoutBoard(shapes, links, room);
}

interface LinesProps {
  readonly graph: Graph;
  readonly cards: readonly Card[];
  readonly layout: BoardLayout;
  readonly lines: readonly GraphEdge[];
  readonly selected: GraphEdge | undefined;
  readonly onEdge: (edge: GraphEdge) => void;
}

/** The same connections as in the lists next to the map, as lines. */
function Lines({ graph, cards, layout, lines, selected, onEdge }: LinesProps) {
  const places = useMemo(() => {
    const found = new Map<number, { readonly x: number; readonly y: number }>();
    for (const [c, { members }] of cards.entries())
      for (const [row, node] of members.entries()) {
        const at = layout.cards[c]!;
        const isRow = graph.nodes[node]!.kind === "workload";
        found.set(node, { x: at.x, y: rowMiddle(at, isRow ? row : undefined) });
      }
    return found;
  }, [graph, cards, layout]);
  return (
    <svg className="lines" width={layout.width} height={layout.height} aria-hidden="true">
      <defs>
        {(["allowed", "undecided", "denied"] as const).map((tone) => (
          <marker
            key={tone}
            id={`arrow-${tone}`}
            className={`arrow ${tone}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="9"
            markerHeight="9"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0L10 5L0 10z" />
          </marker>
        ))}
      </defs>
      {lines.map((edge) => {
        const [from, to] = [places.get(edge.from), places.get(edge.to)];
        if (from === undefined || to === undefined) return null;
        const path = lineBetween(from, to);
        const tone = edge.look.verdict === "partly" ? "allowed" : edge.look.verdict;
        const isSelected = selected?.from === edge.from && selected.to === edge.to;
        return (
          <g
            key={`${edge.from} ${edge.to} ${edge.look.verdict}`}
            className={`line ${lookClass(edge.look)} ${isSelected ? "selected" : ""}`}
            onClick={() => onEdge(edge)}
          >
            <title>{`${titleOf(graph.nodes[edge.from]!)} → ${titleOf(graph.nodes[edge.to]!)}: ${lookText(edge.look)}`}</title>
            <path className="line-reach" d={path} />
            <path className="line-seen" d={path} markerEnd={`url(#arrow-${tone})`} />
          </g>
        );
      })}
    </svg>
  );
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(900);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
