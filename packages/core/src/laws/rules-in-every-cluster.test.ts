import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orderAnswer, RuleQuestions } from "../prove/rules/index.js";
import { everyWorld, faultOfAnswers, judged } from "../../testing/rule-agreement.js";
import { anySmallPolicies, stateOfPolicies } from "../../testing/small-policies.js";

const worlds = everyWorld().map(judged);

describe("S11.1, S11.2: what the prover answers about rules and shared priorities", () => {
  it("is what the evaluator decides in every cluster of a small vocabulary: nothing is wrong, nothing is missing", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anySmallPolicies(), (policies) => {
        const state = stateOfPolicies(policies);
        expect(state.usable).toBe(true);
        expect(faultOfAnswers({ RuleQuestions, orderAnswer }, state, worlds, seen)).toBeUndefined();
      }),
      { numRuns: 150 },
    );
    const answers = ["needed", "redundant", "unreached", "shadowed", "matches nothing", "sometimes", "never"];
    expect(seen).toEqual(new Set(answers));
  });
});
