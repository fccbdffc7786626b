import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Flow } from "../evaluate/flow.js";
import { evaluate } from "../evaluate/evaluate.js";
import { formatPolicy } from "../policy/model.js";
import { selectsPod } from "../../testing/oracle/oracle.js";
import { anyScenario, flowsOf, stateIn, describeWalk } from "../../testing/arbitrary/scenario.js";

describe("a policy that selects neither endpoint", () => {
  it("S1.1: has no effect: without it nothing changes, not even the explanations", () => {
    fc.assert(
      fc.property(anyScenario({ minLength: 2 }), (scenario) => {
        const whole = stateIn(scenario);
        const everything = [...whole.tiers.egress, ...whole.tiers.ingress].flatMap((tier) => [
          ...tier.rules.map(({ subject, origin }) => ({ subject, policy: origin.policy })),
          ...tier.isolation.flatMap(({ subject, origin }) =>
            origin.kind === "policy" ? [{ subject, policy: origin.policy }] : [],
          ),
        ]);
        const concerns = (flow: Flow) =>
          new Set(
            everything
              .filter(({ subject }) =>
                [flow.source, flow.destination].some((end) => end.kind === "pod" && selectsPod(subject, end)),
              )
              .map(({ policy }) => `${policy.group} ${formatPolicy(policy)}`),
          );
        for (const question of scenario.questions) {
          const flows = flowsOf(whole, question);
          const named = new Set(flows.flatMap((flow) => [...concerns(flow)]));
          const left = stateIn(
            scenario,
            scenario.policies.filter(({ apiVersion, kind, metadata }) =>
              named.has(`${apiVersion.split("/")[0]} ${formatPolicy({ kind, ...metadata })}`),
            ),
          );
          const said = (state: typeof whole) =>
            flowsOf(state, question).map((flow) => {
              const { egress, ingress } = evaluate(state.cluster, state.tiers, flow);
              return [describeWalk(egress), describeWalk(ingress)];
            });
          expect(said(left)).toEqual(said(whole));
        }
      }),
      { numRuns: 40 },
    );
  });
});
