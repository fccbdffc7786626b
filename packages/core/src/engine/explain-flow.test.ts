import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../evaluate/evaluate.js";
import { about, anyScenario, flowsOf, stateIn } from "../testing/scenario.js";
import { compile } from "./engine.js";

describe("an explanation", () => {
  it("names the deciders that the literal evaluator names", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 8 }), (scenario) => {
        const { cluster, tiers, ...state } = stateIn(scenario);
        const engine = compile(cluster, tiers);
        for (const flow of scenario.questions.flatMap((q) => flowsOf({ cluster, tiers, ...state }, q))) {
          const literal = evaluate(cluster, tiers, flow);
          const found = engine.explain(flow);
          expect([about(flow), found.verdict]).toEqual([about(flow), literal.verdict]);
          for (const direction of ["egress", "ingress"] as const) {
            const { verdict, decisions } = literal[direction];
            const deciders = decisions.map(({ by }) => by);
            expect([about(flow), direction, found[direction]]).toEqual([
              about(flow),
              direction,
              { verdict, deciders },
            ]);
          }
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 200) },
    );
  });
});
