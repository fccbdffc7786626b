import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../evaluate/evaluate.js";
import { type Outcomes, oracle } from "../testing/oracle.js";
import { about, anyScenario, flowsOf, stateIn } from "../testing/scenario.js";

const saying = (outcomes: Outcomes) => (outcomes.size === 1 ? [...outcomes][0] : "both");

describe("S1.1 to S1.8: the evaluator and the oracle", () => {
  it("give the same verdict where everything is known", () => {
    fc.assert(
      fc.property(anyScenario({ complete: true, unknowable: false }), (scenario) => {
        const state = stateIn(scenario);
        for (const flow of scenario.questions.flatMap((question) => flowsOf(state, question))) {
          const { egress, ingress } = evaluate(state.cluster, state.tiers, flow);
          const expected = oracle(state.cluster, state.tiers, flow);
          expect([about(flow), egress.verdict, ingress.verdict]).toEqual([
            about(flow),
            saying(expected.egress),
            saying(expected.ingress),
          ]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("S9.1: agree on what is certain where something is not known, and Undecided is never more than possible", () => {
    fc.assert(
      fc.property(anyScenario(), (scenario) => {
        const state = stateIn(scenario);
        for (const flow of scenario.questions.flatMap((question) => flowsOf(state, question))) {
          const connection = evaluate(state.cluster, state.tiers, flow);
          const expected = oracle(state.cluster, state.tiers, flow);
          for (const direction of ["egress", "ingress"] as const) {
            const { verdict } = connection[direction];
            if (expected[direction].size === 1)
              expect(`${direction} ${about(flow)}: ${verdict}`).toBe(
                `${direction} ${about(flow)}: ${saying(expected[direction])}`,
              );
            if (verdict !== "Undecided") expect([...expected[direction]]).toContain(verdict);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
