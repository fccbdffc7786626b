import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyAdminModel, type AdminSpelling, spell } from "../../testing/arbitrary/arbitrary-admin.js";
import { anyGuardrail } from "../../testing/arbitrary/arbitrary-first-draft.js";
import { anyKepPolicy } from "../../testing/arbitrary/arbitrary-kep.js";
import { named, type PolicyKindName, evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import type { Unnamed } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";

const admin = (tier: "admin" | "baseline", spelling: AdminSpelling) =>
  anyAdminModel({ actions: ["Pass"], tier }).map((model) => spell(model, spelling));
const kep = (priorities: readonly number[]) => anyKepPolicy({ actions: ["Pass"], priorities });

/** The tier, a passing policy in it, and the kinds of other tiers that may be combined with it. */
const cases: readonly (readonly [string, fc.Arbitrary<Unnamed<unknown>>, readonly PolicyKindName[]])[] = [
  [
    "S3.3: an admin tier of ClusterNetworkPolicies",
    fc.oneof(admin("admin", "seed"), admin("admin", "cluster")),
    ["BaselineAdminNetworkPolicy"],
  ],
  ["S4.1: an admin tier of AdminNetworkPolicies", admin("admin", "released"), ["BaselineAdminNetworkPolicy"]],
  ["S5.2: an admin tier of KEP AdminNetworkPolicies", kep([1, 500, 1000]), ["BaselineAdminNetworkPolicy"]],
  [
    "S3.3: a baseline tier",
    fc.oneof(admin("baseline", "seed"), admin("baseline", "cluster")),
    ["AdminNetworkPolicy"],
  ],
  ["S5.2: a baseline tier of KEP AdminNetworkPolicies", kep([0]), ["AdminNetworkPolicy"]],
  [
    "S6.1: a guardrail tier of Empower rules",
    anyGuardrail(["Empower"]),
    ["seed ClusterNetworkPolicy", "KEP AdminNetworkPolicy"],
  ],
];

describe("rules that only pass", () => {
  it.each(cases)("%s that only passes has no effect", (_title, passing, otherKinds) => {
    const always = ["NetworkPolicy", "default policy", "Cilium"] as const;
    const kinds = evaluatedKinds.filter((kind) => [...always, ...otherKinds].includes(kind));
    const added = fc.array(passing, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anyScenario({ kinds, minLength: 1 }), added, (scenario, passes) => {
        const more = [...passes.map((policy, i) => named(policy, `pass-${i}`)), ...scenario.policies];
        expect(verdictsIn(stateIn(scenario, more), scenario.questions)).toEqual(
          verdictsIn(stateIn(scenario), scenario.questions),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("S6.1: Empower rules leave first-draft Allow rules as they are", () => {
    const allows = fc.array(anyGuardrail(["Allow"]), { minLength: 1, maxLength: 2 });
    const empowers = fc.array(anyGuardrail(["Empower"]), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(
        anyScenario({ kinds: ["NetworkPolicy"] }),
        allows,
        empowers,
        (scenario, allows, empowers) => {
          const without = [...scenario.policies, ...allows.map((policy, i) => named(policy, `allow-${i}`))];
          const more = [...without, ...empowers.map((policy, i) => named(policy, `empower-${i}`))];
          expect(verdictsIn(stateIn(scenario, more), scenario.questions)).toEqual(
            verdictsIn(stateIn(scenario, without), scenario.questions),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});
