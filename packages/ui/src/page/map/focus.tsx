import { useState } from "react";
import { counted } from "../frame/counted.js";
import type { EdgeLook } from "../worker/questions/map.js";
import { lookClass, lookText } from "./edge-look.js";
import { type Graph, type GraphEdge, shortTitleOf } from "./graph.js";
import { type NeighbourGroup, neighboursOf } from "./neighbours.js";
import { shortPorts } from "../frame/short-ports.js";

export interface FocusProps {
  readonly graph: Graph;
  readonly node: number;
  readonly selected: GraphEdge | undefined;
  readonly onEdge: (edge: GraphEdge) => void;
}

/** One node: its sources to the left, its destinations to the right, grouped by ports. */
export function Focus({ graph, node, selected, onEdge }: FocusProps) {
  const { name, card, kind, detail } = graph.nodes[node]!;
  const sides = ["incoming", "outgoing"] as const;
  const [incoming, outgoing] = sides.map((side) => neighboursOf(graph, node, side)) as [
    readonly NeighbourGroup[],
    readonly NeighbourGroup[],
  ];
  return (
    <div className="focus">
      <Side graph={graph} groups={incoming} side="incoming" {...{ selected, onEdge }} />
      <div className="focus-node">
        <div className="focus-name">
          {kind === "workload" && <span className="focus-card">{card}</span>}
          <h2>{name}</h2>
          <span className="focus-detail">{detail}</span>
        </div>
      </div>
      <Side graph={graph} groups={outgoing} side="outgoing" {...{ selected, onEdge }} />
    </div>
  );
}

interface SideProps {
  readonly graph: Graph;
  readonly groups: readonly NeighbourGroup[];
  readonly side: "incoming" | "outgoing";
  readonly selected: GraphEdge | undefined;
  readonly onEdge: (edge: GraphEdge) => void;
}

/** More groups than these are folded up. */
const mostGroups = 12;

function Side({ graph, groups, side, selected, onEdge }: SideProps) {
  const [isWhole, setIsWhole] = useState(false);
  const count = (...verdicts: readonly EdgeLook["verdict"][]) =>
    groups.reduce((sum, { look, edges }) => sum + (verdicts.includes(look.verdict) ? edges.length : 0), 0);
  const [open, undecided, denied] = [count("allowed", "partly"), count("undecided"), count("denied")];
  const title = side === "incoming" ? "may reach it" : "may be reached from it";
  const shown = isWhole ? groups : groups.slice(0, mostGroups);
  return (
    <section className={`focus-side ${side}`} aria-label={title}>
      <h2>
        {open === 0 ? "none" : open} {title}
        {undecided > 0 && `, ${undecided} undecided`}
        {denied > 0 && `, ${denied} may not`}
      </h2>
      {shown.map((group) => (
        <Group
          key={`${group.look.verdict} ${group.look.ports}`}
          {...{ graph, group, side, selected, onEdge }}
        />
      ))}
      {groups.length > shown.length && (
        <button type="button" onClick={() => setIsWhole(true)}>
          {counted(groups.length - shown.length, "other set of ports", "other sets of ports")}
        </button>
      )}
    </section>
  );
}

/** Names beyond these are folded up. */
const mostNames = 10;

function Group({
  graph,
  group: { look, edges },
  side,
  selected,
  onEdge,
}: Omit<SideProps, "groups"> & { readonly group: NeighbourGroup }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? edges : edges.slice(0, mostNames);
  return (
    <div className={`group ${lookClass(look)}`}>
      <div className="group-card">
        <h3 title={lookText(look)}>{shortPorts(lookText(look))}</h3>
        <ul>
          {shown.map((edge) => {
            const other = graph.nodes[side === "incoming" ? edge.from : edge.to]!;
            return (
              <li key={other.key}>
                <button
                  type="button"
                  className="chip"
                  aria-pressed={selected?.from === edge.from && selected.to === edge.to}
                  onClick={() => onEdge(edge)}
                >
                  {shortTitleOf(other)}
                </button>
              </li>
            );
          })}
          {edges.length > shown.length && (
            <li>
              <button type="button" className="chip more" onClick={() => setIsWhole(true)}>
                and {edges.length - shown.length} more
              </button>
            </li>
          )}
        </ul>
      </div>
      <span className="pipe" aria-hidden="true" />
    </div>
  );
}
