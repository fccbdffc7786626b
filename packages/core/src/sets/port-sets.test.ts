import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Protocol } from "../policy/model.js";
import { everyPort, noPorts, offsets, portAt, type PortSetId, PortSets } from "./port-sets.js";

type Range = readonly [protocol: Exclude<Protocol, "ICMP">, first: number, last: number];

/** So few numbers that ranges meet, touch and hold each other. */
const range = fc
  .tuple(
    fc.constantFrom<Range[0]>("TCP", "UDP", "SCTP"),
    fc.constantFrom(0, 1, 2, 3, 4, 65534, 65535),
    fc.nat(3),
  )
  .map(([protocol, first, length]): Range => [protocol, first, Math.min(65535, first + length)]);
const ranges = fc.array(range, { maxLength: 5 });

/** All points at which something can change: around the numbers above, in each protocol. */
const points = Object.values(offsets).flatMap((offset) =>
  offset === offsets.ICMP
    ? [offset]
    : [0, 1, 2, 3, 4, 5, 6, 7, 8, 65533, 65534, 65535].map((n) => offset + n),
);

const setOf = (sets: PortSets, list: readonly Range[]): PortSetId =>
  list.reduce((all, part) => sets.union(all, sets.range(...part)), noPorts);

const onTheLine = ([protocol, first, last]: Range) =>
  [offsets[protocol] + first, offsets[protocol] + last + 1] as const;

const holds = (list: readonly Range[], point: number): boolean =>
  list.some(
    ([protocol, first, last]) => point >= offsets[protocol] + first && point <= offsets[protocol] + last,
  );

const members = (sets: PortSets, id: PortSetId): readonly number[] =>
  points.filter((point) => {
    const { protocol, port } = portAt(point);
    return sets.contains(id, protocol, port);
  });

describe("sets of ports", () => {
  it("are unions, intersections and differences of what they were made of", () => {
    fc.assert(
      fc.property(ranges, ranges, (a, b) => {
        const sets = new PortSets();
        const [x, y] = [setOf(sets, a), setOf(sets, b)];
        const wanted = (keep: (inA: boolean, inB: boolean) => boolean) =>
          points.filter((point) => keep(holds(a, point), holds(b, point)));
        expect(members(sets, sets.union(x, y))).toEqual(wanted((p, q) => p || q));
        expect(members(sets, sets.intersect(x, y))).toEqual(wanted((p, q) => p && q));
        expect(members(sets, sets.subtract(x, y))).toEqual(wanted((p, q) => p && !q));
      }),
    );
  });

  it("have one number each, however they came about", () => {
    fc.assert(
      fc.property(ranges, ranges, (a, b) => {
        const sets = new PortSets();
        const [x, y] = [setOf(sets, a), setOf(sets, b)];
        expect(setOf(sets, a.toReversed())).toBe(x);
        expect(sets.union(x, y)).toBe(sets.union(y, x));
        expect(sets.intersect(x, y)).toBe(sets.subtract(x, sets.subtract(x, y)));
        expect(sets.subtract(everyPort, sets.subtract(everyPort, x))).toBe(x);
        expect(sets.import(sets.bordersOf(x).slice())).toBe(x);
        expect(sets.ofRanges(a.map(onTheLine))).toBe(x);
      }),
    );
  });

  it.each([
    ["nothing", noPorts, false],
    ["everything, ICMP included", everyPort, true],
  ])("know %s", (_, id, wanted) => {
    const sets = new PortSets();
    expect(points.map(portAt).map(({ protocol, port }) => sets.contains(id, protocol, port))).toEqual(
      points.map(() => wanted),
    );
  });

  it("list the ranges of a protocol, without port 0, which does not exist", () => {
    const sets = new PortSets();
    const some = setOf(sets, [
      ["TCP", 80, 90],
      ["TCP", 91, 100],
      ["UDP", 0, 53],
      ["SCTP", 65535, 65535],
    ]);
    expect(sets.ranges(some, "TCP")).toEqual([[80, 100]]);
    expect(sets.ranges(some, "UDP")).toEqual([[1, 53]]);
    expect(sets.ranges(some, "SCTP")).toEqual([[65535, 65535]]);
    expect(sets.ranges(some, "ICMP")).toEqual([]);
    expect(sets.ranges(everyPort, "ICMP")).toEqual([[0, 0]]);
  });

  it("are distinguished where their hashes are equal", () => {
    // By the hash in use when this was written: [] and the first, the second and the third.
    const sets = new PortSets();
    const borders = [
      [24246, 29774],
      [32796, 32797],
      [8733, 32142],
    ].map((list) => Uint32Array.from(list));
    const ids = borders.map((list) => sets.import(list));
    expect(new Set([noPorts, ...ids]).size).toBe(4);
    expect(ids.map((id) => sets.bordersOf(id))).toEqual(borders);
    expect(borders.map((list) => sets.import(list.slice()))).toEqual(ids);
  });

  it("can be many more than 65,536", () => {
    const sets = new PortSets();
    const ids = Array.from({ length: 300 }, (_, i) => sets.range("TCP", i, 60_000));
    const others = Array.from({ length: 300 }, (_, i) => sets.range("TCP", 0, 1000 + i));
    for (const a of ids) for (const b of others) sets.intersect(a, b);
    expect(sets.size).toBeGreaterThan(90_000);
    const last = sets.intersect(ids[299]!, others[298]!);
    expect(sets.ranges(last, "TCP")).toEqual([[299, 1298]]);
    expect(sets.import(Uint32Array.of(299, 1299))).toBe(last);
  });
});
