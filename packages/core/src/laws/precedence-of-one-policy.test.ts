import fc from "fast-check";
import { expect, it } from "vitest";
import { precedenceOf } from "../analysis/preview/precedence.js";
import { orderConflicts } from "../analysis/proof/order-conflicts.js";
import { overrides } from "../analysis/proof/overridden.js";
import { compile } from "../engine/engine.js";
import { formatRule } from "../policy/describe.js";
import { formatPolicy, type PolicyRef } from "../policy/model.js";
import { anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";

it("how one policy stands to the others is what the proofs about all policies say of it", () => {
  fc.assert(
    fc.property(anyScenario({ minLength: 3, maxLength: 8 }), (scenario) => {
      const { cluster, tiers, policies } = stateIn(scenario);
      const engine = compile(cluster, tiers);
      const overriding = overrides(engine).flatMap(({ policy, direction, intent, by }) =>
        by.map(({ rule, pairs }) => ({
          parties: [policy, rule.origin.policy],
          told: `${formatPolicy(policy)} ${direction} ${intent} ${formatRule(rule.origin)} ${pairs}`,
        })),
      );
      const conflicts = orderConflicts(engine).map(({ first, second }) => ({
        parties: [first, second],
        told: `${formatPolicy(first)} ${formatPolicy(second)}`,
      }));
      const toldOf = (some: typeof conflicts, policy: PolicyRef) =>
        some.flatMap(({ parties, told }) => (parties.includes(policy) ? told : [])).toSorted();
      for (const policy of policies) {
        const found = precedenceOf(engine, new Set([policy]));
        const overruled = [...found.overrides, ...found.overriddenBy].map(
          ({ policy: whose, direction, intent, rule, connections }) =>
            `${formatPolicy(whose)} ${direction} ${intent} ${formatRule(rule.origin)} ${connections}`,
        );
        expect(overruled.toSorted()).toEqual(toldOf(overriding, policy));
        const disputed = found.ambiguous.map(
          ({ first, second }) => `${formatPolicy(first)} ${formatPolicy(second)}`,
        );
        expect(disputed.toSorted()).toEqual(toldOf(conflicts, policy));
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 20) },
  );
});
