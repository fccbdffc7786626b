import { getOrInsert } from "../../collections/maps.js";
import { type AddressRange, canTalk, type Engine } from "../../engine/index.js";
import { everyPort, noPorts } from "../../sets/port-sets.js";
import { bitsOf, type Family } from "../../net/address.js";
import { intersect, type Region } from "../../net/region.js";
import type { Direction } from "../../policy/model.js";
import { type CellId, type MatrixCells, noPairs } from "./cells.js";
import type { Lens } from "./inside.js";
import type { PartyPart } from "./sides.js";

/** What a party may do with a longest run of external addresses. */
export interface OutsideCell {
  readonly party: number;
  /** Seen from the party. */
  readonly direction: Direction;
  readonly range: AddressRange;
  readonly cell: CellId;
}

interface Said {
  readonly ranges: Region["ranges"];
  readonly cell: CellId;
}

/** What parties may do with all external addresses. */
export function* runsOutside(
  engine: Engine,
  lenses: readonly Lens[],
  cells: MatrixCells,
): Iterable<OutsideCell> {
  const found = new Map<
    string,
    Pick<OutsideCell, "party" | "direction"> & { family: Family; said: Said[] }
  >();
  const add = (parts: readonly PartyPart[], direction: Direction, family: Family, said: Said) => {
    for (const { party } of parts)
      getOrInsert(found, `${party} ${direction} ${family}`, () => ({
        party,
        direction,
        family,
        said: [],
      })).said.push(said);
  };
  for (const lens of lenses) {
    for (const { direction, family, classes, ranges, allowed, undecided } of engine.externalPairs()) {
      const [own, other] = direction === "egress" ? [lens.from, lens.to] : [lens.to, lens.from];
      const region = {
        family,
        ranges: ranges.map(({ first, last }): [bigint, bigint] => [first, last]),
      };
      const cut = intersect(region, other.filter.outside(family));
      const said = { ranges: cut.ranges, cell: cells.of(allowed, undecided) };
      add(own.partsOfClasses(classes), direction, family, said);
    }
    // S1.4: hosts have no policies, nor have external addresses.
    for (const direction of ["egress", "ingress"] as const)
      for (const family of [4, 6] as const) {
        const [own, other] = direction === "egress" ? [lens.from, lens.to] : [lens.to, lens.from];
        const hosts = engine.ends.classes.filter(
          ({ kind, families }) => kind === "host" && canTalk(family, families, [family]),
        );
        const said = { ranges: other.filter.outside(family).ranges, cell: cells.of(everyPort, noPorts) };
        add(own.partsOfClasses(hosts), direction, family, said);
      }
  }
  for (const { party, direction, family, said } of found.values())
    for (const { range, cell } of longestRuns(family, said, cells)) yield { party, direction, range, cell };
}

/** Cuts all addresses wherever something begins or ends, adds up what is said to each piece, and joins equal neighbours. */
function* longestRuns(
  family: Family,
  said: readonly Said[],
  cells: MatrixCells,
): Iterable<{ readonly range: AddressRange; readonly cell: CellId }> {
  const starts = [...new Set(said.flatMap(({ ranges }) => ranges.flatMap(([a, b]) => [a, b + 1n])))];
  starts.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const places = new Map(starts.map((start, i) => [start, i]));
  const sums = new Uint32Array(starts.length).fill(noPairs);
  for (const { ranges, cell } of said)
    for (const [first, last] of ranges)
      for (let i = places.get(first)!; i < places.get(last + 1n)!; i++) sums[i] = cells.union(sums[i]!, cell);
  for (let i = 0; i < starts.length; ) {
    const first = i;
    while (i < starts.length && sums[i] === sums[first]) i++;
    const last = (starts[i] ?? 1n << BigInt(bitsOf(family))) - 1n;
    if (sums[first] !== noPairs) yield { range: { family, first: starts[first]!, last }, cell: sums[first]! };
  }
}
