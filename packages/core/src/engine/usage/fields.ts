import type { Family } from "../../net/address.js";
import { type Cells, rangedCells, scatteredCells } from "./cells.js";
import type { ColumnSet } from "../../sets/column-sets.js";
import { type EndClass, sizeOf } from "../classes/ends.js";
import type { Layer } from "../compile/layer.js";
import { canTalk } from "../classes/talking.js";
import { marked } from "../../sets/marks.js";
import type { TierTable } from "../compile/tier-table.js";
import { InsideWeights } from "./use-weights.js";
import type { View } from "../compile/view.js";

/** The other ends that walks of one view meet: pods and hosts, or external addresses. */
export interface Field {
  readonly view: View;
  readonly kind: "inside" | "outside";
  readonly subjects: readonly EndClass[];
  /** S1.6: hosts seen by the pods that run on them. */
  readonly isOwn: (column: number) => boolean;
  readonly tableOf: (layer: Layer) => TierTable;
  /** The columns that some subjects meet, those alike to the sets as one. */
  readonly meets: (subjects: readonly EndClass[], sets: ReadonlySet<ColumnSet>) => Met;
}

export interface Met {
  readonly cells: Cells;
  /** By cell, in how many pairs. A pod meets itself, through a Service, but is no pair with itself. */
  readonly pairs: Float64Array;
  /** By cell, whether a subject certainly meets it: whether two endpoints share a node can be unknown (S1.6). */
  readonly isSure: Uint8Array;
  readonly unplaced: readonly UnplacedPairs[];
}

/** Pairs of pods and hosts of which it is not known whether they are on one node: each meets one of two cells (S1.6). */
export interface UnplacedPairs {
  readonly cells: readonly [other: number, own: number];
  readonly pairs: number;
}

/** The views of an engine. */
export interface Compiled {
  isSpoken(family: Family | undefined): boolean;
  view(family: Family | undefined): View;
}

/** All fields of an engine, each address family separately (S1.15). */
export function* fieldsOf(engine: Compiled): Iterable<Field> {
  for (const family of [4, 6, undefined] as const)
    if (engine.isSpoken(family)) yield insideField(engine.view(family));
  for (const family of [4, 6] as const) {
    const field = outsideField(engine.view(family), family);
    if (field.subjects.length > 0) yield field;
  }
}

function insideField(view: View): Field {
  const { ends, family } = view;
  const weights = new InsideWeights(ends, family);
  const own = { members: marked(Uint8Array.from(ends.isOwnColumn, Number)) };
  return {
    view,
    kind: "inside",
    subjects: podsOf(view),
    isOwn: (column) => ends.isOwnColumn[column]!,
    tableOf: ({ inside }) => inside,
    meets: (subjects, sets) => {
      const { byColumn, unplaced } = weights.of(subjects);
      const isSure = new Uint8Array(ends.columns);
      for (let column = 0; column < byColumn.length; column++) if (byColumn[column]! > 0) isSure[column] = 1;
      for (const { column, families } of subjects)
        if (canTalk(family, families, families)) isSure[column] = 1;
      const isMet = isSure.slice();
      // Wherever the pod runs, it is one of the two.
      for (const { column, ownColumn } of unplaced.keys()) isMet[column] = isMet[ownColumn] = 1;
      const cells = scatteredCells(ends.columns, marked(isMet), [own, ...sets]);
      return {
        cells,
        pairs: cells.sum((column) => byColumn[column]!),
        isSure: Uint8Array.from(
          cells.sum((column) => isSure[column]!),
          (sum) => (sum > 0 ? 1 : 0),
        ),
        unplaced: Array.from(unplaced, ([{ column, ownColumn }, pairs]) => ({
          cells: [cells.cellOf(column), cells.cellOf(ownColumn)] as const,
          pairs,
        })),
      };
    },
  };
}

function outsideField(view: View, family: Family): Field {
  const { atoms } = view.ends.vocabulary;
  const [from, to] = atoms.rangeOf({ family, first: 0n, prefix: 0 });
  return {
    view,
    kind: "outside",
    subjects: podsOf(view).filter(({ families }) => canTalk(family, families, [family])),
    isOwn: () => false,
    tableOf: ({ outside }) => outside,
    meets: (_subjects, sets) => {
      const cells = rangedCells(from, to, sets);
      const count = cells.first.length;
      const each = { pairs: new Float64Array(count).fill(1), isSure: new Uint8Array(count).fill(1) };
      return { cells, ...each, unplaced: [] };
    },
  };
}

const podsOf = ({ ends }: View): readonly EndClass[] =>
  ends.classes.filter((end) => end.kind === "pod" && sizeOf(end) > 0);
