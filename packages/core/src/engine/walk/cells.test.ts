import fc from "fast-check";
import { expect, it } from "vitest";
import { PortMasks } from "../../sets/port-masks.js";
import { everyPort, PortSets } from "../../sets/port-sets.js";
import { CellStates, stepOf } from "./cell-states.js";
import { MaskedCells, NumberedCells } from "./cells.js";
import { isSettled, Outcomes, silent } from "./outcomes.js";

const action = fc.constantFrom("Allow", "Deny", "Pass");
const rule = fc.record({
  action,
  isSure: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  from: fc.nat(8),
  length: fc.nat(4),
});
const tier = fc.record({ rules: fc.array(rule, { maxLength: 5 }), isIsolated: fc.boolean() });

it("masks deny the same ports as numbered states, wherever no fact is missing", () => {
  fc.assert(
    fc.property(fc.array(tier, { maxLength: 3 }), (tiers) => {
      const ports = new PortSets();
      const outcomes = new Outcomes(ports);
      const steps = tiers.map(({ rules }) =>
        rules.map(({ action, isSure, from, length }) => {
          const set = length === 4 ? everyPort : ports.range("TCP", from, from + length);
          return { set, step: stepOf(set, isSure ? action : "Maybe", action) };
        }),
      );
      const masks = new PortMasks(ports, new Set(steps.flat().map(({ set }) => set)));
      const [numbered, masked] = [
        new NumberedCells(new CellStates(outcomes), 2),
        new MaskedCells(masks, outcomes, 2),
      ];
      for (const cells of [numbered, masked]) {
        cells.open(0, 1);
        cells.copy(0, 1);
      }
      for (const [i, { isIsolated }] of tiers.entries()) {
        const isFinal = [numbered.nextTier(1), masked.nextTier(1)];
        expect(isFinal[0]).toBe(isFinal[1]);
        let [isDone] = isFinal;
        for (const { step } of steps[i]!) {
          if (isDone) break;
          numbered.useStep(step);
          masked.useStep(step);
          isDone = numbered.take(1);
          expect(masked.take(1)).toBe(isDone);
        }
        if (isIsolated) for (const cells of [numbered, masked]) cells.isolate(1);
      }
      const [expected, found] = [numbered.outcome(1), masked.outcome(1)];
      expect(isSettled(found)).toBe(isSettled(expected));
      if (isSettled(expected)) expect(outcomes.denies[found]).toBe(outcomes.denies[expected]);
      else expect(found).toBe(expected);
      // Cells do not touch each other.
      expect(masked.outcome(0)).toBe(silent);
    }),
  );
});
