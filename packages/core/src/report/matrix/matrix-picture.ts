import { getOrInsert } from "../../collections/maps.js";
import type { MatrixCell } from "../../analysis/matrix/cells.js";
import type { Matrix, MatrixEnd } from "../../analysis/matrix/matrix.js";
import { type Grain, partyKey } from "../../analysis/endpoints/party.js";
import { matrixEndText } from "../party-json.js";
import { counted } from "../wording.js";

/** One row and one column of the picture. */
export interface PictureEnd {
  readonly label: string;
  /** Its namespace; "" if it has none. */
  readonly band: string;
  readonly name: string;
}

/** The matrix as a picture: few enough rows, with all nodes and all external addresses as one each. */
export interface Picture {
  readonly by: Grain;
  readonly ends: readonly PictureEnd[];
  /** The row and column of an endpoint of the matrix. */
  readonly endOf: (end: MatrixEnd) => PictureEnd;
  readonly cells: readonly (readonly (MatrixCell | undefined)[])[];
  /** `16 workloads · 3 nodes`, and how it was grouped. */
  readonly subtitle: string;
}

/** More rows than this are grouped by namespace. */
const mostRows = 60;

export function pictureOf(matrix: Matrix): Picture {
  const count = matrix.parties.filter(({ kind }) => kind !== "node").length;
  const isCrowded = matrix.by !== "namespace" && count > mostRows;
  const found = new Map<string, PictureEnd>();
  const endOf = (end: MatrixEnd): PictureEnd => {
    const made = pictureEnd(end, isCrowded);
    // A Deployment and a StatefulSet may share a name.
    const key = end.kind === "workload" && !isCrowded ? partyKey(end) : made.name;
    return getOrInsert(found, key, () => made);
  };
  const parties = [...new Set(matrix.parties.map(endOf))];
  const outside = ([4, 6] as const).map((family) => endOf(anyAddress(family)));
  const groups = [...parties, ...outside];
  const cells = matrix.summed(groups, endOf);
  // A family that no endpoint uses is not shown.
  const shown = groups.flatMap((_, i) =>
    cells[i]!.some((cell) => cell !== undefined) || cells.some((row) => row[i] !== undefined) ? [i] : [],
  );
  return {
    by: isCrowded ? "namespace" : matrix.by,
    ends: shown.map((i) => groups[i]!),
    endOf,
    cells: shown.map((i) => shown.map((j) => cells[i]![j])),
    subtitle: subtitleOf(matrix, count, isCrowded),
  };
}

function pictureEnd(end: MatrixEnd, isCrowded: boolean): PictureEnd {
  switch (end.kind) {
    case "pod":
    case "workload":
      return isCrowded
        ? { label: end.namespace, band: "", name: `namespace ${end.namespace}` }
        : { label: end.name, band: end.namespace, name: matrixEndText(end) };
    case "namespace":
      return { label: end.name, band: "", name: matrixEndText(end) };
    case "node":
      return { label: "nodes", band: "", name: "nodes" };
    case "external": {
      const label = `outside, IPv${end.range.family}`;
      return { label, band: "", name: label };
    }
  }
}

const anyAddress = (family: 4 | 6): MatrixEnd => ({
  kind: "external",
  range: { family, first: 0n, last: 0n },
});

function subtitleOf(matrix: Matrix, count: number, isCrowded: boolean): string {
  const nodes = matrix.parties.length - count;
  const all = [counted(count, matrix.by), ...(nodes === 0 ? [] : [counted(nodes, "node")])].join(" · ");
  return isCrowded ? `${all} · grouped by namespace` : all;
}

/** How a cell is drawn; without a pair of endpoints it is empty. */
export type Look = "all" | "some" | "partly" | "undecided" | "none" | "itself";

export function lookOf(cell: MatrixCell | undefined): Look {
  if (cell === undefined) return "itself";
  if (cell.wholly.some(({ protocol }) => protocol === "any")) return "all";
  if (cell.partly.length > 0) return "partly";
  if (cell.wholly.length > 0) return "some";
  return cell.undecided.length > 0 ? "undecided" : "none";
}
