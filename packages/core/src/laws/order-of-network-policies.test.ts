import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import { anyScenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";
import { withListsShuffled, withNamesExchanged } from "../../testing/transform/shuffle.js";

const lists = ["ingress", "egress", "from", "to", "ports", "policyTypes", "except"];

describe("the order of NetworkPolicies", () => {
  // Documents are sorted by name, so names are swapped too: each policy gets the position of another one.
  it("S2.1: of their rules, peers and ports changes no verdict", () => {
    const kinds = [...evaluatedKinds, "NetworkPolicy", "NetworkPolicy", "NetworkPolicy"] as const;
    fc.assert(
      fc.property(anyScenario({ kinds, minLength: 2 }), fc.nat(), (scenario, seed) => {
        const isOne = ({ kind }: { kind: string }) => kind === "NetworkPolicy";
        const reordered = withNamesExchanged(scenario.policies, isOne, seed).map((policy) =>
          isOne(policy) ? withListsShuffled(policy, lists, seed) : policy,
        );
        expect(verdictsIn(stateIn(scenario, reordered), scenario.questions)).toEqual(
          verdictsIn(stateIn(scenario), scenario.questions),
        );
      }),
      { numRuns: 100 },
    );
  });
});
