import { describe, expect, it } from "vitest";
import { rangedCells, scatteredCells } from "./cells.js";
import { ColumnSets } from "../../sets/column-sets.js";

const setOf = (...members: readonly number[]) =>
  new ColumnSets().named("set", () => Uint32Array.from(members));
const evens = setOf(0, 2, 4, 6);
const low = setOf(0, 1, 2);
const far = setOf(9, 10);

describe("scattered columns", () => {
  const cells = scatteredCells(8, Uint32Array.of(0, 1, 2, 3, 5, 6), [evens, low]);

  it("are one cell where they are in the same sets, if they are met", () =>
    expect([...cells.first]).toEqual([0, 1, 3, 6]));

  it("sets are their cells", () => {
    expect([...cells.of(evens)]).toEqual([0, 3]);
    expect([...cells.of(low)]).toEqual([0, 1]);
  });

  it("sums are over those that are met", () =>
    expect([...cells.sum((column) => 10 ** column)]).toEqual([101, 10, 101_000, 1_000_000]));
});

describe("columns in ranges", () => {
  const cells = rangedCells(1, 10, new Set([evens, low, far]));

  it("are one cell between two borders", () => expect([...cells.first]).toEqual([1, 2, 3, 4, 5, 6, 7, 9]));

  it("sets are their cells, as far as they are met", () => {
    expect([...cells.of(evens)]).toEqual([1, 3, 5]);
    expect([...cells.of(low)]).toEqual([0, 1]);
    expect([...cells.of(far)]).toEqual([7]);
  });

  it("sums are over all between the borders", () =>
    expect([...cells.sum(() => 1)]).toEqual([1, 1, 1, 1, 1, 1, 2, 1]));
});
