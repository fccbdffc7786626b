import type { Json } from "../generate/json.js";
import { barValue, type Figure, formatFigure, holds } from "./figure.js";
import type { Table } from "./table.js";

/** What one row of the benchmark found. */
export interface RowResult {
  readonly row: string;
  readonly figures: readonly Figure[];
  /** What the figures do not say: that something was scaled, or could not be measured. */
  readonly notes: readonly string[];
  /** Points of a curve, for rows that are one. */
  readonly curve?: readonly CurvePoint[];
}

export interface CurvePoint {
  readonly pods: number;
  readonly seconds: number;
  readonly megabytes: number;
}

/** The columns of the large table; a row that has others goes in the table of details. */
const columns = ["time", "memory", "against naive", "against workloads"] as const;

export const isBulk = ({ figures }: RowResult): boolean => figures.some(({ what }) => what === "memory");

/** Compile and all pairs, a row a cluster. */
export function bulkTable(results: readonly RowResult[]): Table {
  return {
    head: ["pods / NetworkPolicies", ...columns],
    rows: results.filter(isBulk).map(({ row, figures }) => [
      row,
      ...columns.map((column) => {
        const found = figures.find(({ what }) => what === column);
        return found === undefined ? "-" : formatFigure(found);
      }),
    ]),
  };
}

/** Everything else, a row a figure. */
export function detailTable(results: readonly RowResult[]): Table {
  const others = results.filter((result) => !isBulk(result));
  return {
    head: ["row", "what", "measured"],
    rows: others.flatMap(({ row, figures }) =>
      figures.map((figure, i) => [i === 0 ? row : "", figure.what, formatFigure(figure)]),
    ),
  };
}

export function notesOf(results: readonly RowResult[]): readonly string[] {
  return results.flatMap(({ row, notes }) => notes.map((note) => `${row}: ${note}`));
}

export function missed(results: readonly RowResult[]): readonly string[] {
  return results.flatMap(({ row, figures }) =>
    figures.filter((figure) => holds(figure) === "misses").map(({ what }) => `${row} ${what}`),
  );
}

/** For machines: one object a row, the same names as in the table. */
export function resultJson({ row, figures, notes, curve }: RowResult): Json {
  return {
    row,
    figures: Object.fromEntries(
      figures.map((figure) => [
        figure.what,
        {
          measured: figure.measured,
          unit: figure.unit,
          ...(figure.bar === undefined
            ? {}
            : { bar: barValue(figure.bar), holds: holds(figure) === "holds" }),
        },
      ]),
    ),
    ...(notes.length === 0 ? {} : { notes }),
    ...(curve === undefined ? {} : { curve: curve.map((point) => ({ ...point })) }),
  };
}
