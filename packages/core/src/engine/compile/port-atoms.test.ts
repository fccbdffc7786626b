import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Outcomes } from "./outcomes.js";
import { MaskTable, PortAtoms } from "./port-atoms.js";
import { everyPort, PortSets } from "../../sets/port-sets.js";

describe("port atoms", () => {
  const range = fc.tuple(fc.constantFrom(1, 5, 9, 80, 65535), fc.nat(10));

  it("turn what is said in masks into sets again", () => {
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(), (ranges, i, j) => {
        const ports = new PortSets();
        const outcomes = new Outcomes(ports);
        const sets = ranges.map(([first, more]) => ports.range("TCP", first, Math.min(first + more, 65535)));
        const atoms = new PortAtoms([...sets, everyPort], ports, outcomes);
        const [a, b] = [sets[i % sets.length]!, sets[j % sets.length]!];
        const allow = atoms.mask(a);
        const deny = atoms.mask(b).map((word, w) => word & ~allow[w]!);
        const said = atoms.outcome(allow, deny, 0);
        expect(outcomes.allows[said]).toBe(a);
        expect(outcomes.denies[said]).toBe(ports.subtract(b, a));
        expect(atoms.setOf(atoms.mask(everyPort), 0)).toBe(everyPort);
      }),
    );
  });

  it.each([
    [1, 1],
    [31, 1],
    [32, 2],
    [600, 19],
  ])("%i distinct ports, and all others, take %i words", (count, width) => {
    const ports = new PortSets();
    const sets = Array.from({ length: count }, (_, i) => ports.range("TCP", 2 * i + 1, 2 * i + 1));
    const atoms = new PortAtoms(sets, ports, new Outcomes(ports));
    expect(atoms.width).toBe(width);
    for (const set of sets) expect(atoms.setOf(atoms.mask(set), 0)).toBe(set);
  });
});

describe("a table of masks", () => {
  it.each([
    ["as it is", undefined],
    ["where all hashes are equal", () => 7],
    ["where half of them are", (words: Uint32Array) => words[0]! & 1],
  ])("numbers each mask once, in the order in which they come: %s", (_, hash) => {
    const table = hash === undefined ? new MaskTable(2) : new MaskTable(2, hash);
    const find = (a: number, b: number) => {
      table.key.set([a, b]);
      return table.find();
    };
    // More than there are slots at first, so that it grows.
    const masks = Array.from({ length: 300 }, (_, i) => [i, 0xffffffff - (i % 3)] as const);
    expect(masks.map(([a, b]) => find(a, b))).toEqual([...masks.keys()]);
    expect(masks.toReversed().map(([a, b]) => find(a, b))).toEqual([...masks.keys()].toReversed());
  });
});
