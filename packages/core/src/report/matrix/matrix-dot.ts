import type { Caveat } from "../../state/caveat.js";
import type { MatrixCell } from "../../analysis/matrix/cells.js";
import type { Connection, Matrix, MatrixEnd } from "../../analysis/matrix/matrix.js";
import { cellText, isPodless } from "./matrix-groups.js";
import { matrixEndText } from "../party-json.js";

/** A graph for Graphviz: a box for each namespace, an arrow for each connection; dashed is partly, dotted undecided. */
export function* matrixDot(
  matrix: Matrix,
  options: { readonly denied: boolean; readonly caveats?: readonly Caveat[] },
): Iterable<string> {
  for (const { text } of options.caveats ?? []) yield `// caveat: ${text}`;
  yield "digraph tierwall {";
  // Without newrank, Graphviz gives up on boxes with arrows both ways.
  yield '  graph [rankdir=LR, newrank=true, fontname="sans-serif"];';
  yield '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif", fontsize=11];';
  yield '  edge [fontname="sans-serif", fontsize=9, color="#4a5568"];';
  const ends = new Map<string, MatrixEnd>();
  const arrows: string[] = [];
  for (const connection of matrix.connections(options)) {
    if (isPodless(connection.from) && isPodless(connection.to)) continue;
    for (const end of [connection.from, connection.to]) ends.set(idOf(end), end);
    arrows.push(arrow(connection));
  }
  yield* boxes(ends);
  yield* arrows;
  yield "}";
}

function* boxes(ends: ReadonlyMap<string, MatrixEnd>): Iterable<string> {
  const namespaces = new Map<string, string[]>();
  for (const [id, end] of ends) {
    if (end.kind !== "pod" && end.kind !== "workload") {
      const shape = end.kind === "external" ? "ellipse" : end.kind === "node" ? "component" : "box";
      yield `  ${quoted(id)} [label=${quoted(matrixEndText(end))}, shape=${shape}];`;
      continue;
    }
    const line = `    ${quoted(id)} [label=${quoted(end.name)}];`;
    namespaces.set(end.namespace, [...(namespaces.get(end.namespace) ?? []), line]);
  }
  for (const [namespace, lines] of namespaces) {
    yield `  subgraph ${quoted(`cluster ${namespace}`)} {`;
    yield `    label=${quoted(namespace)}; style="rounded,filled"; fillcolor="#f4f6f8"; color="#cbd2d9";`;
    yield* lines;
    yield "  }";
  }
}

function arrow({ from, to, cell }: Connection): string {
  const style = styleOf(cell);
  return `  ${quoted(idOf(from))} -> ${quoted(idOf(to))} [label=${quoted(cellText(cell))}${style}];`;
}

function styleOf({ allowed, wholly, undecided }: MatrixCell): string {
  if (wholly.length > 0) return "";
  if (allowed.length > 0) return ", style=dashed";
  return undecided.length > 0
    ? ', style=dotted, color="#b7791f"'
    : ', style=dotted, color="#c53030", arrowhead=tee';
}

/** With the kind, as a Deployment and a StatefulSet may share a name. */
function idOf(end: MatrixEnd): string {
  return end.kind === "workload" ? `${end.workload} ${matrixEndText(end)}` : matrixEndText(end);
}

const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
