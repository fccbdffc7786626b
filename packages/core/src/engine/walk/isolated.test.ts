import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEndpoint, subjectOf } from "../../evaluate/flow.js";
import { isolatingIn } from "../../evaluate/walk.js";
import { insideEnds } from "../../../testing/all-ends.js";
import { anyScenario, stateIn } from "../../../testing/arbitrary/scenario.js";
import { compile } from "../engine.js";
import { endpointsOf } from "../classes/members.js";

describe("isolation", () => {
  it("is reported for each pod that the literal evaluator finds isolated, with the same policies", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 8, maxReplicas: 2 }), (scenario) => {
        const state = stateIn(scenario);
        const { cluster, tiers } = state;
        const found = [...compile(cluster, tiers).isolated()].flatMap(
          ({ direction, tier, isolation, classes, size }) => {
            const pods = classes.flatMap((end) => [...endpointsOf(cluster, end)]);
            expect(pods).toHaveLength(size);
            return pods.map((pod) => ({ where: `${formatEndpoint(pod)} ${direction} ${tier}`, isolation }));
          },
        );
        const expected = [...insideEnds(state).values()].flatMap((end) => {
          const subject = subjectOf(end);
          if (subject === undefined) return [];
          return (["egress", "ingress"] as const).flatMap((direction) =>
            tiers[direction].flatMap((tier) => {
              const isolation = isolatingIn(tier, subject);
              const where = `${formatEndpoint(end)} ${direction} ${tier.name}`;
              return isolation.length === 0 ? [] : { where, isolation };
            }),
          );
        });
        const inOrder = (list: typeof found) => list.toSorted((a, b) => (a.where < b.where ? -1 : 1));
        expect(inOrder(found)).toEqual(inOrder(expected));
      }),
      { numRuns: Number(process.env.RUNS ?? 100) },
    );
  });
});
