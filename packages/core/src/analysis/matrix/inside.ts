import { canTalk, type Engine } from "../../engine/index.js";
import { everyPort, noPorts } from "../../sets/port-sets.js";
import type { CellId, MatrixCells } from "./cells.js";
import { havePair, type MatrixSide, takesPart, type Parties } from "./sides.js";

/** The connections that are looked at: between these ends and those. */
export interface Lens {
  readonly from: MatrixSide;
  readonly to: MatrixSide;
}

/** Cells of one party after the other; parties without any are left out. */
export class Rows {
  private readonly rows = new Map<number, Uint32Array>();

  constructor(
    private readonly width: number,
    private readonly cells: MatrixCells,
  ) {}

  add(from: number, to: number, cell: CellId): void {
    let row = this.rows.get(from);
    if (row === undefined) this.rows.set(from, (row = new Uint32Array(this.width)));
    row[to] = this.cells.union(row[to]!, cell);
  }

  of(from: number): Uint32Array | undefined {
    return this.rows.get(from);
  }
}

/** What parties of the cluster may do with each other. */
export function rowsBetween(
  engine: Engine,
  parties: Parties,
  lenses: readonly Lens[],
  cells: MatrixCells,
): Rows {
  const rows = new Rows(parties.list.length, cells);
  for (const block of engine.pairs()) {
    const cell = cells.of(block.allowed, block.undecided);
    for (const { from, to } of lenses) {
      const sources = from.partsOf(block.from);
      if (sources.length === 0) continue;
      for (const group of block.to)
        for (const target of to.partsOf(group))
          for (const source of sources)
            if (havePair(source, target, block.nearness)) rows.add(source.party, target.party, cell);
    }
  }
  addReplicas(engine, parties, lenses, cells, rows);
  return rows;
}

/** S1.6: a pod from a template represents all replicas, and these connect to each other. */
function addReplicas(
  engine: Engine,
  parties: Parties,
  lenses: readonly Lens[],
  cells: MatrixCells,
  rows: Rows,
): void {
  const { answers } = engine;
  for (const end of engine.ends.classes)
    for (const pod of end.pods) {
      const isLookedAt = ({ from, to }: Lens) => takesPart(from.filter, pod) && takesPart(to.filter, pod);
      if (pod.fromTemplate !== true || !lenses.some(isLookedAt)) continue;
      const party = parties.indexOf(pod);
      for (const family of [4, 6, undefined] as const) {
        if (!canTalk(family, end.families, end.families)) continue;
        const answer = engine.view(family).pairAnswer(end, end);
        const cell =
          end.kind === "host"
            ? cells.of(everyPort, noPorts)
            : cells.of(answers.allowed(answer), answers.undecided(answer));
        rows.add(party, party, cell);
      }
    }
}
