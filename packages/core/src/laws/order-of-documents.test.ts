import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readState } from "../state/state.js";
import { manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import { anyScenario, stateIn, tellingsIn } from "../../testing/arbitrary/scenario.js";
import { shuffled } from "../../testing/transform/shuffle.js";

describe("the order of documents", () => {
  it("S1.12: changes no verdict, no reason and no missing fact, whatever the kinds, in one file or in two", () => {
    fc.assert(
      fc.property(anyScenario({ minLength: 2, maxLength: 7 }), fc.nat(), fc.nat(), (scenario, seed, cut) => {
        const objects = shuffled([...manifestsOf(scenario.cluster), ...scenario.policies], seed);
        const text = (list: typeof objects) => list.map((object) => JSON.stringify(object)).join("\n");
        const middle = cut % objects.length;
        const sources = [
          { file: "b.json", text: text(objects.slice(0, middle)) },
          { file: "a.json", text: text(objects.slice(middle)) },
        ];
        const state = readState(sources, { facts: scenario.facts });
        expect(tellingsIn(state, scenario.questions).toSorted()).toEqual(
          tellingsIn(stateIn(scenario), scenario.questions).toSorted(),
        );
      }),
      { numRuns: 100 },
    );
  });
});
