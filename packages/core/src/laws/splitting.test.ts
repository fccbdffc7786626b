import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import { anyScenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";
import { splitPolicy } from "../../testing/transform/split.js";

const statements: Readonly<Record<(typeof evaluatedKinds)[number], string>> = {
  NetworkPolicy: "S2.2",
  "seed ClusterNetworkPolicy": "S3.1",
  "released ClusterNetworkPolicy": "S3.1",
  AdminNetworkPolicy: "S4.1",
  BaselineAdminNetworkPolicy: "S4.1",
  "KEP AdminNetworkPolicy": "S5.5",
  "first draft": "S6.3",
  "default policy": "S6.5",
  Cilium: "S7.3",
};

describe("splitting", () => {
  it.each(evaluatedKinds.map((kind) => [statements[kind], kind] as const))(
    "%s: a rule of a %s into one rule for each peer and port changes no verdict",
    (_statement, kind) => {
      const kinds = [kind, kind, "NetworkPolicy"] as const;
      fc.assert(
        fc.property(anyScenario({ kinds, minLength: 1, maxLength: 3 }), (scenario) => {
          const split = stateIn(scenario, scenario.policies.map(splitPolicy));
          expect(verdictsIn(split, scenario.questions)).toEqual(
            verdictsIn(stateIn(scenario), scenario.questions),
          );
        }),
        { numRuns: 30 },
      );
    },
  );
});
