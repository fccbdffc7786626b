import fc from "fast-check";
import { expect, it } from "vitest";
import { precedenceOf } from "../analysis/preview/precedence.js";
import { orderConflicts } from "../analysis/proof/order-conflicts.js";
import { overrides } from "../analysis/proof/overridden.js";
import { compile } from "../engine/engine.js";
import { formatRule } from "../policy/describe.js";
import { formatPolicy, type PolicyRef } from "../policy/model.js";
import { anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";

it("the relations of one policy to the others are those of the proofs about all policies", () => {
  fc.assert(
    fc.property(anyScenario({ minLength: 3, maxLength: 8 }), (scenario) => {
      const { cluster, tiers, policies } = stateIn(scenario);
      const engine = compile(cluster, tiers);
      const overriding = overrides(engine).flatMap(({ policy, direction, intent, by }) =>
        by.map(({ rule, pairs }) => ({
          parties: [policy, rule.origin.policy],
          text: `${formatPolicy(policy)} ${direction} ${intent} ${formatRule(rule.origin)} ${pairs}`,
        })),
      );
      const conflicts = orderConflicts(engine).map(({ first, second }) => ({
        parties: [first, second],
        text: `${formatPolicy(first)} ${formatPolicy(second)}`,
      }));
      const textsOf = (some: typeof conflicts, policy: PolicyRef) =>
        some.flatMap(({ parties, text }) => (parties.includes(policy) ? text : [])).toSorted();
      for (const policy of policies) {
        const found = precedenceOf(engine, new Set([policy]));
        const overruled = [...found.overrides, ...found.overriddenBy].map(
          ({ policy: whose, direction, intent, rule, connections }) =>
            `${formatPolicy(whose)} ${direction} ${intent} ${formatRule(rule.origin)} ${connections}`,
        );
        expect(overruled.toSorted()).toEqual(textsOf(overriding, policy));
        const disputed = found.ambiguous.map(
          ({ first, second }) => `${formatPolicy(first)} ${formatPolicy(second)}`,
        );
        expect(disputed.toSorted()).toEqual(textsOf(conflicts, policy));
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 20) },
  );
});
