import type { Family } from "../net/address.js";
import { type EndClass, sizeOf } from "./ends.js";
import type { Engine } from "./engine.js";
import type { Layer } from "./layer.js";
import { canTalk } from "./talking.js";
import type { TierTable } from "./tier-table.js";
import { InsideWeights } from "./use-weights.js";
import type { View } from "./view.js";

/** The other ends that walks of one view meet: pods and hosts, or external addresses. */
export interface Field {
  readonly view: View;
  readonly kind: "inside" | "outside";
  readonly subjects: readonly EndClass[];
  readonly columns: number;
  /** S1.6: hosts seen by the pods that run on them. */
  readonly isOwn: (column: number) => boolean;
  readonly tableOf: (layer: Layer) => TierTable;
  readonly meets: (subjects: readonly EndClass[]) => Met;
}

/** The columns that some subjects meet. */
export interface Met {
  readonly columns: Uint32Array;
  /** In how many pairs. A pod meets itself, through a Service, but is no pair with itself. */
  readonly pairs: (column: number) => number;
}

/** Everything that an engine speaks of, each address family by itself (S1.15). */
export function* fieldsOf(engine: Engine): Iterable<Field> {
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
  return {
    view,
    kind: "inside",
    subjects: podsOf(view),
    columns: ends.columns,
    isOwn: (column) => ends.isOwnColumn[column]!,
    tableOf: ({ inside }) => inside,
    meets: (subjects) => {
      const { byColumn, unplaced } = weights.of(subjects);
      const isMet = Uint8Array.from(byColumn, (pairs) => (pairs > 0 ? 1 : 0));
      // Wherever the pod runs, it is one of the two.
      for (const { column, ownColumn } of unplaced.keys()) isMet[column] = isMet[ownColumn] = 1;
      for (const { column, families } of subjects) if (canTalk(family, families, families)) isMet[column] = 1;
      const unplacedAt = new Map([...unplaced].map(([{ column }, pairs]) => [column, pairs]));
      return {
        columns: membersOf(isMet),
        pairs: (column) => byColumn[column]! + (unplacedAt.get(column) ?? 0),
      };
    },
  };
}

function outsideField(view: View, family: Family): Field {
  const { atoms } = view.ends.vocabulary;
  const [from, to] = atoms.rangeOf({ family, first: 0n, prefix: 0 });
  const columns = Uint32Array.from({ length: to - from }, (_, i) => from + i);
  return {
    view,
    kind: "outside",
    subjects: podsOf(view).filter(({ families }) => canTalk(family, families, [family])),
    columns: atoms.count,
    isOwn: () => false,
    tableOf: ({ outside }) => outside,
    meets: () => ({ columns, pairs: () => 1 }),
  };
}

function membersOf(isIn: Uint8Array): Uint32Array {
  const found: number[] = [];
  for (let i = 0; i < isIn.length; i++) if (isIn[i] === 1) found.push(i);
  return Uint32Array.from(found);
}

const podsOf = ({ ends }: View): readonly EndClass[] =>
  ends.classes.filter((end) => end.kind === "pod" && sizeOf(end) > 0);
