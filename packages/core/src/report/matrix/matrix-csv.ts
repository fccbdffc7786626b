import type { MatrixCell } from "../../analysis/matrix/cells.js";
import type { Matrix, MatrixEnd } from "../../analysis/matrix/matrix.js";
import type { PortGroup } from "../../analysis/matrix/port-groups.js";
import { portRanges } from "../explanation/explanation-json.js";
import { matrixEndText } from "../party-json.js";

const columns = [
  "from_kind",
  "from_namespace",
  "from_name",
  "from_workload",
  "to_kind",
  "to_namespace",
  "to_name",
  "to_workload",
  "verdict",
  "protocol",
  "ports",
] as const;

/** A line for each protocol of each verdict of a connection. */
export function* matrixCsv(matrix: Matrix, options: { readonly denied: boolean }): Iterable<string> {
  yield columns.join(",");
  for (const { from, to, cell } of matrix.connections(options))
    for (const [verdict, protocol, ports] of verdictsOf(cell))
      yield [...endFields(from), ...endFields(to), verdict, protocol, ports].map(quoted).join(",");
}

function* verdictsOf({ wholly, partly, undecided }: MatrixCell): Iterable<readonly [string, string, string]> {
  const groups = [
    ...wholly.map((group) => ["allowed", group] as const),
    ...partly.map((group) => ["partly", group] as const),
    ...undecided.map((group) => ["undecided", group] as const),
  ];
  if (groups.length === 0) yield ["denied", "any", "all"];
  for (const [verdict, group] of groups) yield [verdict, group.protocol, portsOf(group)];
}

const portsOf = (group: PortGroup): string => ("ranges" in group ? portRanges(group.ranges) : "all");

function endFields(end: MatrixEnd): readonly string[] {
  switch (end.kind) {
    case "pod":
      return [end.kind, end.namespace, end.name, ""];
    case "workload":
      return [end.kind, end.namespace, end.name, end.workload];
    case "namespace":
    case "node":
      return [end.kind, "", end.name, ""];
    case "external":
      return [end.kind, "", matrixEndText(end), ""];
  }
}

/** RFC 4180. Spreadsheets evaluate what begins like a formula, in quotes or not: an apostrophe makes it text. */
function quoted(field: string): string {
  const text = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r]/u.test(field) ? `'${field}` : field;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
