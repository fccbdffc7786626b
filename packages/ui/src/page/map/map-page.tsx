import "./map.css";
import { useMemo } from "react";
import { Caveats } from "../frame/caveats.js";
import { counted, figure } from "../frame/counted.js";
import { Loading, Notice } from "../frame/notice.js";
import { go, useAddress } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import type { EdgeLook, MapChoices } from "../worker/questions/map.js";
import { Board } from "./board.js";
import { Crowd } from "./crowd.js";
import { EdgeList } from "./edge-list.js";
import { EdgePanel } from "./edge-panel.js";
import { Focus } from "./focus.js";
import { type Graph, type GraphEdge, graphOf, mostCards, mostLines, titleOf } from "./graph.js";
import { MapTools } from "./map-tools.js";

/** Which workloads can reach which, as a map: namespaces, their workloads, and what is allowed between them. */
export function MapPage() {
  const { query } = useAddress();
  const { namespace = "", label = "", port = "", tier = "", policy = "", open = "", focus = "" } = query;
  const request = { namespace, label, port, tier, policy, open: openFor(open, focus) };
  const asked = useAnswer("map", request, "patient");
  const choices = shown(useAnswer("map-choices", {}, "patient"));
  const answer = shown(asked);
  const graph = useMemo(() => (answer?.kind === "map" ? graphOf(answer) : undefined), [answer]);
  const change = (part: Record<string, string>) => go("map", { ...query, ...part });
  return (
    <div className="map">
      <MapTools query={query} choices={choices} isBusy={asked.status === "asking"} onChange={change} />
      {asked.status === "failed" && (
        <Notice title="The map could not be drawn" role="alert">
          {asked.message}
        </Notice>
      )}
      {asked.status !== "failed" && answer === undefined && <Loading>Asking about all pairs…</Loading>}
      {answer?.kind === "refused" && <Notice title="These filters cannot be used">{answer.message}</Notice>}
      {answer?.kind === "map" && <Caveats caveats={answer.caveats} />}
      {graph !== undefined && (
        <Body graph={graph} places={choices?.places ?? []} request={request} query={query} change={change} />
      )}
    </div>
  );
}

interface BodyProps {
  readonly graph: Graph;
  readonly places: MapChoices["places"];
  readonly request: Parameters<typeof EdgePanel>[0]["request"];
  readonly query: Readonly<Record<string, string>>;
  readonly change: (part: Record<string, string>) => void;
}

function Body({ graph, places, request, query, change }: BodyProps) {
  const { focus = "", edge: chosen = "", view = "" } = query;
  const edge = edgeNamed(graph, chosen);
  const node = graph.nodes.findIndex(({ key }) => key === focus);
  const onEdge = ({ from, to, look }: GraphEdge) =>
    change({ edge: [graph.nodes[from]!.key, graph.nodes[to]!.key, look.verdict].join(" > ") });
  const onFocus = (key: string) => change({ focus: key, edge: "", view: "" });
  const cards = new Set(graph.nodes.flatMap(({ card }, i) => (graph.isShown[i] ? [card] : [])));
  const onFold = (namespace: string) => change({ open: folded(graph, namespace), edge: "" });
  return (
    <div className="map-body">
      <div className="map-field">
        {node >= 0 && view === "" && (
          <nav className="map-path" aria-label="Map">
            <button type="button" onClick={() => change({ focus: "", edge: "" })}>
              ← all namespaces
            </button>
            {graph.nodes[node]!.kind === "workload" && (
              <button type="button" onClick={() => onFocus(`namespace ${graph.nodes[node]!.card}`)}>
                namespace {graph.nodes[node]!.card}
              </button>
            )}
          </nav>
        )}
        {graph.edges.length === 0 && (
          <Notice title="No such connections">No connection matches all filters.</Notice>
        )}
        {graph.edges.length > 0 && view === "list" && <EdgeList graph={graph} onEdge={onEdge} />}
        {graph.edges.length > 0 && view !== "list" && node >= 0 && (
          <Focus key={focus} graph={graph} node={node} selected={edge} onEdge={onEdge} />
        )}
        {graph.edges.length > 0 &&
          view !== "list" &&
          node < 0 &&
          (cards.size > mostCards ? (
            <Crowd graph={graph} onFocus={onFocus} />
          ) : (
            <Board graph={graph} selected={edge} {...{ onFocus, onEdge, onFold }} />
          ))}
      </div>
      <aside className="map-side">
        {edge === undefined ? (
          <About
            graph={graph}
            places={places}
            node={node}
            isCrowd={cards.size > mostCards}
            onFocus={onFocus}
          />
        ) : (
          <EdgePanel
            graph={graph}
            edge={edge}
            request={request}
            onFocus={onFocus}
            onClose={() => change({ edge: "" })}
          />
        )}
      </aside>
    </div>
  );
}

interface AboutProps {
  readonly graph: Graph;
  readonly places: MapChoices["places"];
  readonly node: number;
  readonly isCrowd: boolean;
  readonly onFocus: (key: string) => void;
}

/** What one sees, and what one can do. */
function About({ graph, places, node, isCrowd, onFocus }: AboutProps) {
  const focused = graph.nodes[node];
  const inside = places.filter(
    ({ namespace }) => focused?.kind === "namespace" && namespace === focused.name,
  );
  const count = (verdict: EdgeLook["verdict"]) =>
    graph.edges.filter(({ look }) => look.verdict === verdict).length;
  const [undecided, denied] = [count("undecided"), count("denied")];
  const hubs = graph.nodes.filter((_, i) => graph.isOpenToMost[i] || graph.reachesMost[i]).length;
  return (
    <section className="map-about" aria-label="About this map">
      {node >= 0 ? (
        <>
          <h2>{titleOf(graph.nodes[node]!)}</h2>
          <p>
            Sources that can reach it are on the left, destinations that it can reach on the right, grouped by
            ports. Select one for the rules.
          </p>
          {inside.length > 0 && (
            <>
              <h3>Its workloads</h3>
              <ul className="inside">
                {inside.map(({ key, name }) => (
                  <li key={key}>
                    <button type="button" className="chip" onClick={() => onFocus(key)}>
                      {name.slice(name.indexOf("/") + 1)}
                    </button>
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      ) : (
        <>
          <h2>{counted(graph.edges.length, "connection")}</h2>
          {undecided > 0 && <p>{figure(undecided)} of them are undecided.</p>}
          {denied > 0 && <p>{figure(denied)} of them are denied.</p>}
          <p>
            {isCrowd
              ? "Point at a namespace to see its sources and destinations; select it for more."
              : graph.drawn.length > mostLines
                ? "Too many lines to draw: point at a name to see its connections."
                : "Arrows point from sources to destinations. Select an arrow for its rules, or a name for its connections."}
          </p>
          {!isCrowd && hubs > 0 && (
            <p>
              <span className="hub">12 ▸</span> before a name: 12 sources can reach it; after a name: it can
              reach 12 destinations. Point at it to see the lines.
            </p>
          )}
        </>
      )}
      <MapLegend isCrowd={isCrowd && node < 0} />
    </section>
  );
}

function MapLegend({ isCrowd }: { readonly isCrowd: boolean }) {
  if (isCrowd)
    return (
      <ul className="map-legend">
        <li>▸ 17: number of sources that can reach it, including undecided ones</li>
        <li>41 ▸: number of destinations that it can reach, including undecided ones</li>
        <li>▸ name, bar on the left: it can reach the namespace you point at</li>
        <li>◂ name, bar on the right: the namespace you point at can reach it</li>
      </ul>
    );
  const lines = [
    ["edge-allowed weight-4", "every port, or nearly"],
    ["edge-allowed weight-3", "many ports"],
    ["edge-allowed weight-2", "some ports"],
    ["edge-allowed weight-1", "one port"],
    ["edge-partly weight-3", "for some pods only"],
    ["edge-undecided weight-3", "undecided: facts are missing"],
    ["edge-denied weight-3", "denied (with a tier or policy chosen)"],
  ] as const;
  return (
    <ul className="map-legend">
      {lines.map(([look, text]) => (
        <li key={look}>
          <svg className="line-sample" width="36" height="10" aria-hidden="true">
            <g className={`line ${look}`}>
              <path className="line-seen" d="M0 5H36" />
            </g>
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}

/** To look at a workload, its namespace has to be open; to look at a namespace, folded. */
function openFor(open: string, focus: string): string {
  if (focus.startsWith("namespace ") || focus === "nodes" || focus === "outside") return "none";
  const namespace = /^\S+ ([^/]+)\//.exec(focus)?.[1];
  return namespace === undefined ? open : `+${namespace}`;
}

function edgeNamed(graph: Graph, text: string): GraphEdge | undefined {
  if (text === "") return undefined;
  const [from, to, verdict] = text.split(" > ");
  return graph.edges.find(
    (edge) =>
      graph.nodes[edge.from]!.key === from &&
      graph.nodes[edge.to]!.key === to &&
      edge.look.verdict === verdict,
  );
}

/** The open namespaces, with one of them the other way round. */
function folded(graph: Graph, namespace: string): string {
  const open = new Set(graph.nodes.flatMap(({ kind, card }) => (kind === "workload" ? card : [])));
  if (!open.delete(namespace)) open.add(namespace);
  return open.size === 0 ? "none" : [...open].toSorted().join(",");
}
