import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyScenario, stateIn } from "../../packages/core/testing/arbitrary/scenario.js";
import { faultOfTable, nodesOf } from "./agreement.js";

describe("the table of a node does with each packet what the evaluator says", () => {
  it.each([
    { of: "all APIs", runs: 60, choices: { complete: true } },
    { of: "Cilium", runs: 40, choices: { complete: true, kinds: ["Cilium"] } },
    { of: "many policies", runs: 15, choices: { complete: true, minLength: 6, maxLength: 12 } },
  ] as const)("where everything is known: $of", ({ runs, choices }) => {
    fc.assert(
      fc.property(anyScenario(choices), (scenario) => {
        const state = stateIn(scenario);
        for (const node of nodesOf(state)) expect(faultOfTable(state, node)).toBeUndefined();
      }),
      { numRuns: runs },
    );
  });

  it("and denies where that depends on something that is not known", () => {
    fc.assert(
      fc.property(anyScenario(), (scenario) => {
        const state = stateIn(scenario);
        for (const node of nodesOf(state)) expect(faultOfTable(state, node)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });
});
