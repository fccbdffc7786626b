import { counted } from "../frame/counted.js";
import { shortPorts } from "../frame/short-ports.js";
import { lookText } from "./edge-look.js";
import { type Graph, type GraphEdge, titleOf } from "./graph.js";

/** More rows than these are left out: filters reduce them. */
const mostRows = 400;

/** The map as a list: the same connections, for reading and for screen readers. */
export function EdgeList({
  graph,
  onEdge,
}: {
  readonly graph: Graph;
  readonly onEdge: (edge: GraphEdge) => void;
}) {
  const rows = graph.edges.slice(0, mostRows);
  return (
    <div className="edge-list">
      <table>
        <caption>
          {counted(graph.edges.length, "connection")}
          {graph.edges.length > rows.length &&
            `, the first ${mostRows} of them; use filters to see the others`}
        </caption>
        <thead>
          <tr>
            <th scope="col">from</th>
            <th scope="col">to</th>
            <th scope="col">ports</th>
            <th scope="col">rules</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((edge) => {
            const [from, to] = [titleOf(graph.nodes[edge.from]!), titleOf(graph.nodes[edge.to]!)];
            return (
              <tr key={`${edge.from} ${edge.to} ${edge.look.verdict}`}>
                <td>{from}</td>
                <td>{to}</td>
                <td className="row-ports">{shortPorts(lookText(edge.look))}</td>
                <td>
                  <button
                    type="button"
                    aria-label={`rules for ${from} to ${to}`}
                    onClick={() => onEdge(edge)}
                  >
                    rules
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
