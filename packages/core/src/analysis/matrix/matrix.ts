import { ok, type Result } from "../../diagnostics/result.js";
import { type AddressRange, type Engine, type Member, realPorts } from "../../engine/index.js";
import type { Grain, Party } from "../endpoints/party.js";
import { type MatrixCell, MatrixCells, noPairs } from "./cells.js";
import { type Lens, type Rows, rowsBetween } from "./inside.js";
import { type OutsideCell, runsOutside } from "./outside.js";
import { askedPorts, filtersOf, type MatrixQuestion } from "./question.js";
import { Parties, MatrixSide, takesPart } from "./sides.js";

/** One endpoint in the matrix: a party, or external addresses. */
export type MatrixEnd = Party | { readonly kind: "external"; readonly range: AddressRange };

/** A source and a destination in the matrix, and what the source can reach of the destination. */
export interface Connection {
  readonly from: MatrixEnd;
  readonly to: MatrixEnd;
  readonly cell: MatrixCell;
}

/** Who can reach whom, on which ports. */
export class Matrix {
  /** Pods by name, then nodes. */
  readonly parties: readonly Party[];

  constructor(
    readonly by: Grain,
    /** The members of each party, and the parties that the question is about. */
    readonly members: Parties,
    readonly lenses: readonly Lens[],
    private readonly rows: Rows,
    private readonly runs: readonly OutsideCell[],
    private readonly cells: MatrixCells,
  ) {
    this.parties = members.list;
  }

  /** By source, then by destination. Those with nothing allowed, nor undecided, only where `denied` is asked for. */
  *connections({ denied }: { readonly denied: boolean }): Iterable<Connection> {
    const isShown = (id: number) => id !== noPairs && (denied || this.cells.isOpen(id));
    const sorted = this.runs.toSorted(byRange);
    const outgoing = this.parties.map((): OutsideCell[] => []);
    for (const run of sorted) if (run.direction === "egress") outgoing[run.party]!.push(run);
    for (const [i, from] of this.parties.entries()) {
      for (const [j, id] of this.rows.of(i)?.entries() ?? [])
        if (isShown(id)) yield { from, to: this.parties[j]!, cell: this.cells.content(id) };
      for (const { range, cell: id } of outgoing[i]!)
        if (isShown(id)) yield { from, to: { kind: "external", range }, cell: this.cells.content(id) };
    }
    for (const { party, direction, range, cell: id } of sorted)
      if (direction === "ingress" && isShown(id))
        yield { from: { kind: "external", range }, to: this.parties[party]!, cell: this.cells.content(id) };
  }

  /** The cell of two parties, by their places in the list; undefined where there is no pair. */
  cellBetween(from: number, to: number): MatrixCell | undefined {
    const id = this.rows.of(from)?.[to] ?? noPairs;
    return id === noPairs ? undefined : this.cells.content(id);
  }

  /** All pairs of these ends with those, denied ones too. */
  *between(isFrom: (end: MatrixEnd) => boolean, isTo: (end: MatrixEnd) => boolean): Iterable<Connection> {
    const targets = [...this.parties.keys()].filter((j) => isTo(this.parties[j]!));
    for (const [i, from] of this.parties.entries()) {
      if (!isFrom(from)) continue;
      for (const j of targets) {
        const cell = this.cellBetween(i, j);
        if (cell !== undefined) yield { from, to: this.parties[j]!, cell };
      }
    }
    for (const { party, direction, range, cell } of this.runs) {
      const [own, outside] = [this.parties[party]!, { kind: "external", range } as const];
      const [from, to] = direction === "egress" ? [own, outside] : [outside, own];
      if (isFrom(from) && isTo(to)) yield { from, to, cell: this.cells.content(cell) };
    }
  }

  /**
   * The cells added up over groups of ends, by source and destination; undefined where there is no pair. Ends without a
   * group are left out.
   */
  summed<G>(
    groups: readonly G[],
    groupOf: (end: MatrixEnd) => G | undefined,
  ): readonly (readonly (MatrixCell | undefined)[])[] {
    const { ids, content } = this.sums(groups, groupOf);
    return groups.map((_, i) =>
      Array.from(ids.subarray(i * groups.length, (i + 1) * groups.length), (id) => content(id)),
    );
  }

  /** The same as numbers, row by row: equal ones for equal cells, and a cell for each number. For pictures of many. */
  sums<G>(groups: readonly G[], groupOf: (end: MatrixEnd) => G | undefined): Sums {
    const width = groups.length;
    const ids = new Uint32Array(width * width);
    const places = new Map(groups.map((group, i) => [group, i]));
    const placeOf = (end: MatrixEnd) => {
      const group = groupOf(end);
      return group === undefined ? undefined : places.get(group);
    };
    const add = (from: number | undefined, to: number | undefined, id: number) => {
      if (from === undefined || to === undefined || id === noPairs) return;
      const at = from * width + to;
      ids[at] = this.cells.union(ids[at]!, id);
    };
    const own = this.parties.map(placeOf);
    for (const i of this.parties.keys()) {
      const row = this.rows.of(i) ?? [];
      for (let j = 0; j < row.length; j++) add(own[i], own[j], row[j]!);
    }
    for (const { party, direction, range, cell } of this.runs) {
      const outside = placeOf({ kind: "external", range });
      if (direction === "egress") add(own[party], outside, cell);
      else add(outside, own[party], cell);
    }
    return { ids, content: (id) => (id === noPairs ? undefined : this.cells.content(id)) };
  }
}

/** Cells of all pairs of groups, by number. */
export interface Sums {
  readonly ids: Uint32Array;
  readonly content: (id: number) => MatrixCell | undefined;
}

export function matrixOf(engine: Engine, question: MatrixQuestion): Result<Matrix> {
  const filters = filtersOf(engine.cluster, question);
  if (!filters.ok) return filters;
  const asked = askedPorts(engine.ports, question.ports);
  if (!asked.ok) return asked;
  const { cluster, ports } = engine;
  const isLookedAt = (member: Member) =>
    filters.value.some(({ from, to }) => takesPart(from, member) || takesPart(to, member));
  const parties = new Parties(cluster, question.by, isLookedAt);
  const lenses = filters.value.map(({ from, to }) => ({
    from: new MatrixSide(cluster, parties, from),
    to: new MatrixSide(cluster, parties, to),
  }));
  const cells = new MatrixCells(ports, asked.value, realPorts(ports), question.undecided);
  const rows = rowsBetween(engine, parties, lenses, cells);
  const runs = [...runsOutside(engine, lenses, cells)];
  return ok(new Matrix(question.by, parties, lenses, rows, runs, cells));
}

/** IPv4 first, then by address; then by party. */
function byRange(a: OutsideCell, b: OutsideCell): number {
  if (a.range.family !== b.range.family) return a.range.family - b.range.family;
  if (a.range.first !== b.range.first) return a.range.first < b.range.first ? -1 : 1;
  if (a.range.last !== b.range.last) return a.range.last < b.range.last ? -1 : 1;
  return a.party - b.party;
}
