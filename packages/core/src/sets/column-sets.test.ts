import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ColumnSets, groupColumns } from "./column-sets.js";

const columns = 12;
const ascending = (list: readonly number[]) => Uint32Array.from(list.toSorted((a, b) => a - b));
const someColumns = fc.uniqueArray(fc.nat(columns - 1)).map(ascending);

describe("columns are in one group", () => {
  it("if and only if they are in the same sets", () => {
    fc.assert(
      fc.property(fc.array(someColumns, { maxLength: 8 }), (sets) => {
        const { groupOf, count } = groupColumns(
          columns,
          sets.map((members) => ({ members })),
        );
        const signature = (column: number) => sets.map((members) => members.includes(column)).join();
        for (let a = 0; a < columns; a++)
          for (let b = 0; b < columns; b++)
            expect(groupOf[a] === groupOf[b]).toBe(signature(a) === signature(b));
        expect(new Set(groupOf)).toEqual(new Set(Array.from({ length: count }, (_, i) => i)));
      }),
    );
  });
});

describe("sets of columns", () => {
  it("are computed once for a name", () => {
    const sets = new ColumnSets();
    const first = sets.named("pods", () => [1, 2]);
    const again = sets.named("pods", () => {
      throw new Error("computed twice");
    });
    expect(again).toBe(first);
    expect(sets.named("others", () => [1, 2])).not.toBe(first);
  });

  it("have parts, each set its own", () => {
    const sets = new ColumnSets();
    const isEven = (column: number) => column % 2 === 0;
    const [small, large] = [sets.named("small", () => [1, 2, 4]), sets.named("large", () => [6, 7, 8])];
    expect([...sets.part(small, "even", isEven).members]).toEqual([2, 4]);
    expect([...sets.part(large, "even", isEven).members]).toEqual([6, 8]);
    expect([...sets.part(small, "odd", (column) => !isEven(column)).members]).toEqual([1]);
    expect(sets.part(sets.empty, "even", isEven).members.length).toBe(0);
  });

  it("get a column that is added later, and so do the parts that accept it", () => {
    const sets = new ColumnSets();
    const all = sets.named("all", () => [0, 1]);
    const even = sets.part(all, "even", (column) => column % 2 === 0);
    const odd = sets.part(all, "odd", (column) => column % 2 === 1);
    sets.append(all, 2);
    expect([all, even, odd].map(({ members }) => [...members])).toEqual([[0, 1, 2], [0, 2], [1]]);
  });
});
