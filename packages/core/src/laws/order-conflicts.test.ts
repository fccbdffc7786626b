import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { orderConflicts } from "../analysis/proof/order-conflicts.js";
import { sharedPriorities } from "../analysis/proof/shared-priorities.js";
import { compile } from "../engine/engine.js";
import { evaluateDirection } from "../evaluate/evaluate.js";
import { formatPolicy } from "../policy/model.js";
import { swappedPolicies } from "../policy/swapped-policies.js";
import { completed } from "../collections/steps.js";
import { orderAnswer, RuleQuestions } from "../prove/rules/index.js";
import { everyFlow } from "../../testing/transform/changed-without.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { about, anyScenario, type Scenario, stateIn } from "../../testing/arbitrary/scenario.js";

const kinds = [
  "released ClusterNetworkPolicy",
  "seed ClusterNetworkPolicy",
  "AdminNetworkPolicy",
  "KEP AdminNetworkPolicy",
  "BaselineAdminNetworkPolicy",
  "NetworkPolicy",
] as const;

/** So that policies really share priorities. */
function ofOnePriority(policy: Manifest): Manifest {
  const spec = policy.spec as { readonly priority?: number } | undefined;
  return spec?.priority === undefined ? policy : { ...policy, spec: { ...spec, priority: 10 } };
}

const stateOfOnePriority = (scenario: Scenario) => stateIn(scenario, scenario.policies.map(ofOnePriority));

describe("S1.13: two policies of one priority", () => {
  it("that disagree: if they are swapped, the example gets another verdict, and the prover finds that they can", () => {
    let conflicts = 0;
    fc.assert(
      fc.property(anyScenario({ kinds, minLength: 3, maxLength: 8 }), (scenario) => {
        const state = stateOfOnePriority(scenario);
        const { cluster, tiers } = state;
        const questions = new RuleQuestions(tiers, cluster.cidrGroups);
        for (const { shared, first, second, example } of orderConflicts(compile(cluster, tiers))) {
          conflicts++;
          const { flow, asOrdered, swapped: otherwise } = example();
          const names = [first, second].map(formatPolicy).join(" and ");
          const verdicts = [asOrdered.verdict, otherwise.verdict].toSorted();
          expect([names, about(flow), verdicts]).toEqual([names, about(flow), ["Allow", "Deny"]]);
          const answer = completed(orderAnswer(questions, state, shared, () => false, {}));
          expect([names, answer.result]).toEqual([names, "sometimes"]);
        }
      }),
      { numRuns: 40 },
    );
    expect(conflicts).toBeGreaterThan(isFull ? 3 : 0);
  });

  it("that do not conflict, with everything known, can be swapped", () => {
    const choices = { kinds, complete: true, unknowable: false, minLength: 3, maxLength: 6 };
    let groups = 0;
    fc.assert(
      fc.property(anyScenario(choices), (scenario) => {
        const state = stateOfOnePriority(scenario);
        const { cluster, tiers } = state;
        const disputed = new Set(
          orderConflicts(compile(cluster, tiers)).map(({ shared }) => shared.policies[0]),
        );
        const flows = everyFlow(state);
        for (const { policies } of sharedPriorities(tiers)) {
          if (disputed.has(policies[0])) continue;
          groups++;
          const [first, second] = [policies[0]!, policies.at(-1)!];
          const other = swappedPolicies(tiers, first, second);
          for (const direction of ["egress", "ingress"] as const) {
            const verdictsOf = (all: typeof tiers) => (flow: (typeof flows)[number]) =>
              evaluateDirection(direction, cluster, all, flow).verdict;
            const changed = flows.find((flow) => verdictsOf(tiers)(flow) !== verdictsOf(other)(flow));
            expect(
              changed && `${formatPolicy(first)}, ${formatPolicy(second)}: ${about(changed)}`,
            ).toBeUndefined();
          }
        }
      }),
      { numRuns: 25 },
    );
    expect(groups).toBeGreaterThan(isFull ? 2 : 0);
  });
});
