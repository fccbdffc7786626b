import fc from "fast-check";
import { expect, it } from "vitest";
import { WordRows } from "./word-rows.js";

it.each([
  ["its own hash", undefined],
  ["a hash that is the same for all", () => 7],
])("numbers rows in the order in which they come, with %s", (_, hash) => {
  const rows = fc.array(fc.tuple(fc.nat(6), fc.nat(6), fc.constantFrom(0, 0xffffffff)), { maxLength: 120 });
  fc.assert(
    fc.property(rows, (asked) => {
      const table = new WordRows(3, hash);
      const expected = new Map<string, number>();
      for (const row of asked) {
        table.key.set(row);
        const key = row.join();
        if (!expected.has(key)) expected.set(key, expected.size);
        expect(table.find()).toBe(expected.get(key));
      }
      expect(table.count).toBe(expected.size);
    }),
  );
});
