import { useState } from "react";
import { type Graph, isOpen, titleOf } from "./graph.js";

/** Hundreds of namespaces as tiles. Pointing at one marks its sources and its destinations. */
export function Crowd({
  graph,
  onFocus,
}: {
  readonly graph: Graph;
  readonly onFocus: (key: string) => void;
}) {
  const [pointed, setPointed] = useState<number>();
  const reached = new Set(
    pointed === undefined ? [] : graph.outgoing[pointed]!.filter(isOpen).map(({ to }) => to),
  );
  const reaching = new Set(
    pointed === undefined ? [] : graph.incoming[pointed]!.filter(isOpen).map(({ from }) => from),
  );
  const shown = graph.nodes.flatMap((node, i) => (graph.isShown[i] ? [{ ...node, i }] : []));
  const most = Math.max(1, ...shown.map(({ i }) => Math.max(graph.reachedBy[i]!, graph.reaches[i]!)));
  return (
    <ul className={`crowd ${pointed === undefined ? "" : "pointing"}`}>
      {shown.map(({ key, name, detail, i }) => {
        const [incoming, outgoing] = [graph.reachedBy[i]!, graph.reaches[i]!];
        const sign = `${reaching.has(i) ? "▸ " : ""}${reached.has(i) ? "◂ " : ""}`;
        const tone = `${reached.has(i) ? "reached" : ""} ${reaching.has(i) ? "reaching" : ""} ${pointed === i ? "pointed" : ""}`;
        return (
          <li key={key}>
            <button
              type="button"
              className={`tile ${tone}`}
              aria-label={`${titleOf(graph.nodes[i]!)}, ${detail}: ${incoming} may reach it, it may reach ${outgoing}`}
              onPointerEnter={() => setPointed(i)}
              onPointerLeave={() => setPointed(undefined)}
              onFocus={() => setPointed(i)}
              onBlur={() => setPointed(undefined)}
              onClick={() => onFocus(key)}
            >
              <span className="tile-name">
                {sign}
                {name}
              </span>
              <span className="tile-bars" aria-hidden="true">
                <span style={{ width: `${(50 * incoming) / most}%` }} />
                <span style={{ width: `${(50 * outgoing) / most}%` }} />
              </span>
              <span className="tile-figures" aria-hidden="true">
                <span>▸ {incoming}</span>
                <span>{outgoing} ▸</span>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
