import fc from "fast-check";
import { expect, it } from "vitest";
import { PortMasks } from "./port-masks.js";
import { everyPort, noPorts, PortSets } from "./port-sets.js";

const protocol = fc.constantFrom("TCP", "UDP", "SCTP", "ICMP");
const range = fc.tuple(protocol, fc.nat(9), fc.nat(9));

it("writes sets as masks and back, and intersects, unites and complements them bit by bit", () => {
  fc.assert(
    fc.property(fc.array(fc.array(range, { maxLength: 4 }), { minLength: 2, maxLength: 8 }), (lists) => {
      const ports = new PortSets();
      const sets = lists.map((ranges) =>
        ranges
          .map(([protocol, a, b]) =>
            protocol === "ICMP"
              ? ports.range(protocol, 0, 0)
              : ports.range(protocol, Math.min(a, b), Math.max(a, b)),
          )
          .reduce((all, one) => ports.union(all, one), noPorts),
      );
      const masks = new PortMasks(ports, new Set([...sets, everyPort]));
      const both = (combine: (a: number, b: number) => number) =>
        masks.setOf(
          masks.of(sets[0]!).map((word, w) => combine(word, masks.of(sets[1]!)[w]!)),
          0,
        );
      for (const set of [...sets, everyPort]) expect(masks.setOf(masks.of(set), 0)).toBe(set);
      expect(both((a, b) => a & b)).toBe(ports.intersect(sets[0]!, sets[1]!));
      expect(both((a, b) => a | b)).toBe(ports.union(sets[0]!, sets[1]!));
      expect(both((a, b) => a & ~b)).toBe(ports.subtract(sets[0]!, sets[1]!));
    }),
  );
});

it("uses one bit for ports that are in the same sets", () => {
  const ports = new PortSets();
  const single = Array.from({ length: 31 }, (_, i) => ports.range("TCP", 100 * i, 100 * i));
  expect(new PortMasks(ports, new Set(single)).words).toBe(1);
  expect(new PortMasks(ports, new Set([...single, ports.range("UDP", 1, 1)])).words).toBe(2);
});
