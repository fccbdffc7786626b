import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { ruleProofs } from "../analysis/proof/rule-proofs.js";
import { completed } from "../collections/steps.js";
import { compile } from "../engine/engine.js";
import { formatRule } from "../policy/describe.js";
import type { Direction, Rule, Tiers } from "../policy/model.js";
import { anyCluster, anyFacts, manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import { anyPolicies } from "../../testing/arbitrary/arbitrary-policies.js";
import { changedWithout, everyFlow } from "../../testing/transform/changed-without.js";
import { about, stateOf } from "../../testing/arbitrary/scenario.js";

/** The same policies, which clusters do not change: a rule of one state is found in another by its place. */
function counterpart(rule: Rule, from: Tiers, to: Tiers): Rule {
  const all = (tiers: Tiers, direction: Direction) => tiers[direction].flatMap(({ rules }) => rules);
  const { direction } = rule.origin;
  return all(to, direction)[all(from, direction).indexOf(rule)]!;
}

describe("what is proven of a rule for any cluster", () => {
  it.each([
    ["any API", { minLength: 4, maxLength: 8 }],
    // The tiers in which policies have an order, and Pass is an action.
    [
      "ordered APIs",
      {
        kinds: [
          "released ClusterNetworkPolicy",
          "AdminNetworkPolicy",
          "KEP AdminNetworkPolicy",
          "NetworkPolicy",
        ] as const,
        minLength: 5,
        maxLength: 9,
      },
    ],
  ])("S1.1, S1.3: of %s holds in any cluster: without the rule, no verdict changes", (_what, choices) => {
    let proven = 0;
    fc.assert(
      fc.property(anyPolicies(choices), anyFacts(), anyCluster(), (policies, facts, cluster) => {
        // Without pods, no proof is about this cluster only.
        const empty = stateOf(policies, { facts });
        const { ofRules } = completed(ruleProofs(compile(empty.cluster, empty.tiers)));
        const rules = ofRules.flatMap(({ rule, everywhere }) => (everywhere === undefined ? [] : [rule]));
        if (rules.length === 0) return;
        const state = stateOf([...manifestsOf(cluster), ...policies], { facts });
        const flows = everyFlow(state);
        for (const rule of rules) {
          proven++;
          const changed = changedWithout(state, counterpart(rule, empty.tiers, state.tiers), flows);
          expect(changed && `${formatRule(rule.origin)}: ${about(changed)}`).toBeUndefined();
        }
      }),
      { numRuns: 60 },
    );
    expect(proven).toBeGreaterThan(isFull ? 20 : 0);
  });
});
