import { getOrInsert } from "../../collections/maps.js";
import type { MatrixCell } from "../../analysis/matrix/cells.js";
import type { Matrix } from "../../analysis/matrix/matrix.js";
import { apiVersion, type JsonValue } from "../explanation/explanation-json.js";
import { matrixEndJson } from "../party-json.js";
import { portGroupJson } from "../port-groups-text.js";

/** The stable, versioned JSON, line by line: one connection per line, as there may be more than a string can hold. */
export function* matrixJson(
  matrix: Matrix,
  options: { readonly denied: boolean; readonly caveats?: JsonValue; readonly remarks?: JsonValue },
): Iterable<string> {
  yield `{"apiVersion": "${apiVersion}", "kind": "Matrix", "by": "${matrix.by}", "connections": [`;
  let previous: string | undefined;
  const cellTexts = new Map<MatrixCell, string>();
  for (const { from, to, cell } of matrix.connections(options)) {
    if (previous !== undefined) yield `${previous},`;
    const said = getOrInsert(cellTexts, cell, () => cellText(cell));
    previous = `  {"from": ${JSON.stringify(matrixEndJson(from))}, "to": ${JSON.stringify(matrixEndJson(to))}, ${said}}`;
  }
  if (previous !== undefined) yield previous;
  const { caveats, remarks } = options;
  const more = Object.entries({ caveats, remarks }).filter(([, value]) => value !== undefined);
  yield `]${more.map(([key, value]) => `, "${key}": ${JSON.stringify(value)}`).join("")}}`;
}

function cellText({ allowed, partly, undecided }: MatrixCell): string {
  const list = (groups: MatrixCell["allowed"]) => JSON.stringify(groups.map(portGroupJson));
  const only = partly.length === 0 ? "" : `, "partly": ${list(partly)}`;
  return `"allowed": ${list(allowed)}${only}, "undecided": ${list(undecided)}`;
}
