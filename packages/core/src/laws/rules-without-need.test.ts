import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { State } from "../state/state.js";
import { compile } from "../engine/engine.js";
import { readLanes } from "../engine/usage/lanes.js";
import { RuleNeeds } from "../engine/usage/rule-need.js";
import { formatRule } from "../policy/describe.js";
import type { Rule } from "../policy/model.js";
import { changedWithout, everyFlow } from "../../testing/transform/changed-without.js";
import { about, anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";

function needsIn({ cluster, tiers }: State): RuleNeeds["all"] {
  const engine = compile(cluster, tiers);
  const needs = new RuleNeeds(engine);
  readLanes(engine, [needs]);
  return needs.all;
}

/** S7.7: which conditions an Allow has is not compared rule by rule: all rules that allow besides a condition count as needed. */
const isConditional = ({ tiers }: State, rule: Rule): boolean =>
  tiers[rule.origin.direction].some(
    ({ rules }) => rules.includes(rule) && rules.some(({ condition }) => condition !== undefined),
  );

describe("a redundant rule", () => {
  it.each([
    ["any API", { minLength: 1, maxLength: 5, maxReplicas: 2 }],
    // It has the most kinds of peers, and the most unknown facts.
    ["Cilium", { kinds: ["Cilium"] as const, minLength: 1, maxLength: 3 }],
  ])("S1.1: of %s can be removed, and no connection changes", (_what, choices) => {
    fc.assert(
      fc.property(anyScenario(choices), (scenario) => {
        const state = stateIn(scenario);
        const flows = everyFlow(state);
        for (const [rule, { needed }] of needsIn(state)) {
          if (needed) continue;
          const changed = changedWithout(state, rule, flows);
          expect(changed && `${formatRule(rule.origin)}: ${about(changed)}`).toBeUndefined();
        }
      }),
      { numRuns: 25 },
    );
  });

  it("S1.1: is the only kind, with everything known: without any other rule, some connection changes", () => {
    const choices = { complete: true, unknowable: false, minLength: 1, maxLength: 5, maxReplicas: 2 };
    fc.assert(
      fc.property(anyScenario(choices), (scenario) => {
        const state = stateIn(scenario);
        const flows = everyFlow(state);
        for (const [rule, { needed }] of needsIn(state)) {
          if (!needed || isConditional(state, rule)) continue;
          expect([formatRule(rule.origin), changedWithout(state, rule, flows)]).not.toContain(undefined);
        }
      }),
      { numRuns: 25 },
    );
  });
});
