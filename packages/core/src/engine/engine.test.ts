import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../evaluate/evaluate.js";
import { about, anyScenario, flowsOf, stateIn } from "../testing/scenario.js";
import { compile } from "./engine.js";

describe("the engine and the literal evaluator", () => {
  it("give the same verdict for every connection", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 8 }), (scenario) => {
        const state = stateIn(scenario);
        const engine = compile(state.cluster, state.tiers);
        for (const flow of scenario.questions.flatMap((question) => flowsOf(state, question)))
          expect([about(flow), engine.verdict(flow)]).toEqual([
            about(flow),
            evaluate(state.cluster, state.tiers, flow).verdict,
          ]);
      }),
      { numRuns: Number(process.env.RUNS ?? 300) },
    );
  });
});
