import fc from "fast-check";
import { expect, it } from "vitest";
import { changedEntries, editedMap } from "./edited-map.js";

/** Undefined removes a key. */
type Change = readonly [key: string, value: number | undefined];

const anyKey = fc.nat(1500).map((n) => `pod-${n}`);
const anyChange: fc.Arbitrary<Change> = fc.tuple(anyKey, fc.option(fc.nat(3), { nil: undefined }));
/** Enough of them that the map is copied on the way. */
const anyHistory = fc.array(fc.array(anyChange, { maxLength: 300 }), { minLength: 1, maxLength: 8 });

it("is what a map would be to which the same was done, however much that was", () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      let edited: ReadonlyMap<string, number> = new Map(
        Array.from({ length: 1200 }, (_, i) => [`pod-${i}`, 0]),
      );
      const plain = new Map(edited);
      for (const changes of history) {
        const before = { edited, plain: new Map(plain) };
        edited = editedMap(edited, new Map(changes));
        for (const [key, value] of changes)
          if (value === undefined) plain.delete(key);
          else plain.set(key, value);
        expect(new Map(edited)).toEqual(plain);
        expect([edited.size, [...edited.keys()].length]).toEqual([plain.size, plain.size]);
        for (const [key] of changes)
          expect([edited.get(key), edited.has(key)]).toEqual([plain.get(key), plain.has(key)]);
        // What was before is as it was, and the difference leads from there to here.
        expect(new Map(before.edited)).toEqual(before.plain);
        const difference = changedEntries(before.edited, edited);
        expect(new Map(editedMap(before.edited, difference))).toEqual(plain);
        const back = changedEntries(edited, before.edited);
        expect(new Map(editedMap(edited, back))).toEqual(before.plain);
        for (const [key, value] of difference) expect(value).not.toBe(before.plain.get(key));
      }
    }),
    { numRuns: 100 },
  );
});

it("finds the differences of unrelated maps", () => {
  const difference = changedEntries(
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
    new Map([
      ["b", 3],
      ["c", 4],
    ]),
  );
  expect(difference).toEqual(new Map(Object.entries({ a: undefined, b: 3, c: 4 })));
});
