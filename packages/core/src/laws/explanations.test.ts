import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ask, overall } from "../analysis/explain/ask.js";
import { explain } from "../analysis/explain/explain.js";
import { evaluate } from "../evaluate/evaluate.js";
import { anyScenario, flowsOf, stateIn, describeWalk } from "../../testing/arbitrary/scenario.js";

describe("an explanation", () => {
  it("S1.15: gives the verdict that evaluating gives, for the question and for each connection it shows", () => {
    fc.assert(
      fc.property(anyScenario({ minLength: 1 }), (scenario) => {
        const state = stateIn(scenario);
        for (const question of scenario.questions) {
          const flows = flowsOf(state, question);
          const [asked, explained] = [ask(state, question), explain(state, question)];
          expect(explained.ok).toBe(flows.length > 0);
          expect(asked.ok).toBe(flows.length > 0);
          if (!explained.ok || !asked.ok) continue;
          const all = flows.map((flow) => evaluate(state.cluster, state.tiers, flow).verdict);
          expect(explained.value.verdict).toBe(overall(all));
          expect(asked.value.verdict).toBe(overall(all));
          // One answer is shown for each verdict, with the reasons of the evaluator.
          const shown = explained.value.answers.map(({ explained }) => explained!);
          expect(new Set(shown.map(({ connection }) => connection.verdict))).toEqual(new Set(all));
          for (const { flow, connection } of shown) {
            const again = evaluate(state.cluster, state.tiers, flow);
            expect([describeWalk(connection.egress), describeWalk(connection.ingress)]).toEqual([
              describeWalk(again.egress),
              describeWalk(again.ingress),
            ]);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});
