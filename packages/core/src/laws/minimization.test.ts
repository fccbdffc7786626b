import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minimize, type MinimizeOptions } from "../analysis/minimize/minimize.js";
import { evaluate } from "../evaluate/evaluate.js";
import type { Flow } from "../evaluate/flow.js";
import { compareEverywhere } from "../prove/same/index.js";
import type { State } from "../state/state.js";
import { dice } from "../../testing/encoder-agreement.js";
import { about, anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";
import { everyFlow } from "../../testing/transform/changed-without.js";
import { splitPolicy } from "../../testing/transform/split.js";

const choices = { minLength: 1, maxLength: 6, maxReplicas: 2 };

/** With what the verdict depends on: Undecided for another reason is another verdict. */
function answerTo({ cluster, tiers }: State, flow: Flow): string {
  const { verdict, egress, ingress } = evaluate(cluster, tiers, flow);
  const missing = [egress, ingress].map((walk) => walk.missing.map(({ text }) => text).toSorted());
  const conditions = [egress, ingress].map((walk) => walk.decisions.map((one) => one.conditions));
  return `${about(flow)}: ${verdict} ${JSON.stringify([missing, verdict === "Allow" ? conditions : []])}`;
}

describe("minimized policies", () => {
  it.each<readonly [string, MinimizeOptions]>([
    ["on this cluster", {}],
    ["without what is unused", { unused: true }],
    ["in every cluster", { everywhere: true }],
  ])("give every connection the same verdict, are not more, and stay as they are: %s", (_what, options) => {
    let changes = 0;
    fc.assert(
      fc.property(anyScenario(choices), fc.integer(), (scenario, seed) => {
        const before = stateIn(scenario, scenario.policies.map(splitPolicy));
        const found = minimize(before, options);
        changes += found.changes.length;
        expect(found.undone.flatMap(({ steps }) => steps)).toEqual([]);
        expect(found.after.rules).toBeLessThanOrEqual(found.before.rules);
        expect(found.after.policies).toBeLessThanOrEqual(found.before.policies);
        const flows = everyFlow(before);
        const roll = dice(seed);
        for (let i = 0; i < 100 && flows.length > 0; i++) {
          const flow = flows[roll() % flows.length]!;
          expect(answerTo(found.state, flow)).toBe(answerTo(before, flow));
        }
        if (options.everywhere) expect(compareEverywhere(before, found.state).result).toBe("Same");
        const again = minimize(found.state, options);
        expect(again.changes.flatMap(({ steps }) => steps)).toEqual([]);
      }),
      { numRuns: 10 },
    );
    expect(changes).toBeGreaterThan(0);
  });
});
