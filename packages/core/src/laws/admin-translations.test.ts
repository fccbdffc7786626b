import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyAdminModel, asBaseline, spell } from "../../testing/arbitrary/arbitrary-admin.js";
import type { KepSpec } from "../../testing/arbitrary/arbitrary-kep.js";
import { named } from "../../testing/arbitrary/arbitrary-policies.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, type Scenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";
import { translateKep } from "../../testing/transform/translate-kep.js";

const others = ["NetworkPolicy", "first draft", "default policy", "Cilium"] as const;

function expectSame(scenario: Scenario, a: readonly Manifest[], b: readonly Manifest[]): void {
  const [x, y] = [a, b].map((policies) =>
    verdictsIn(stateIn(scenario, [...scenario.policies, ...policies]), scenario.questions),
  );
  expect(y).toEqual(x);
}

describe("policies of administrators in other APIs", () => {
  // Where two have one priority, name decides (S1.13), and names stay. KEP policies come after both (S1.12).
  const kinds = [...others, "KEP AdminNetworkPolicy"] as const;

  it("S3.1, S4.1: AdminNetworkPolicies and ClusterNetworkPolicies of both spellings agree", () => {
    const models = fc.array(anyAdminModel({ tier: "admin" }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyScenario({ kinds, maxLength: 2 }), models, (scenario, models) => {
        const [released, seed, cluster] = (["released", "seed", "cluster"] as const).map((spelling) =>
          models.map((model, i) => named(spell(model, spelling), `x-${"cab"[i % 3]}${i}`)),
        );
        expectSame(scenario, released!, seed!);
        expectSame(scenario, released!, cluster!);
      }),
      { numRuns: 60 },
    );
  });

  it("S3.1: both spellings of a ClusterNetworkPolicy agree in both tiers", () => {
    const models = fc.array(anyAdminModel(), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyScenario({ kinds, maxLength: 2 }), models, fc.nat(), (scenario, models, bits) => {
        const seed = models.map((model, i) => named(spell(model, "seed"), `x-${"cab"[i % 3]}${i}`));
        // Some of them in the other spelling, among those that stay.
        const mixed = seed.map((policy, i) =>
          ((bits >> i) & 1) === 1 ? named(spell(models[i]!, "cluster"), policy.metadata.name) : policy,
        );
        expectSame(scenario, seed, mixed);
      }),
      { numRuns: 50 },
    );
  });

  it("S4.1, S1.12: a BaselineAdminNetworkPolicy is a ClusterNetworkPolicy of the baseline with priority 1000", () => {
    // Among ClusterNetworkPolicies of priority 1000 its name puts it where its API would: last.
    const otherKinds = ["NetworkPolicy", "seed ClusterNetworkPolicy", "seed ClusterNetworkPolicy"] as const;
    fc.assert(
      fc.property(anyScenario({ kinds: otherKinds, minLength: 1 }), anyAdminModel(), (scenario, model) => {
        // For every pod, so that it meets the other policies of the baseline.
        const baseline = { ...asBaseline(model), subject: { namespaces: {} } };
        const released = named(spell(baseline, "released"), "default");
        for (const spelling of ["seed", "cluster"] as const)
          expectSame(scenario, [released], [named(spell(baseline, spelling), "zzz")]);
      }),
      { numRuns: 50 },
    );
  });

  it("S5.4: an AdminNetworkPolicy of the KEP is equivalent to ClusterNetworkPolicies for each pod", () => {
    const kinds = ["KEP AdminNetworkPolicy", "KEP AdminNetworkPolicy", ...others] as const;
    fc.assert(
      fc.property(anyScenario({ kinds, complete: true, minLength: 1 }), (scenario) => {
        const translated = scenario.policies.flatMap((policy) =>
          policy.kind === "AdminNetworkPolicy"
            ? translateKep(policy as Manifest<KepSpec>, scenario.cluster)
            : [policy],
        );
        expect(verdictsIn(stateIn(scenario, translated), scenario.questions)).toEqual(
          verdictsIn(stateIn(scenario), scenario.questions),
        );
      }),
      { numRuns: 120 },
    );
  });
});
