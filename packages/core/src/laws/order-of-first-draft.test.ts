import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import { anyScenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";
import { withListsShuffled, withNamesExchanged } from "../../testing/transform/shuffle.js";

const lists = ["ingress", "egress", "from", "to", "ports", "labels"];

describe("the order of the first draft's policies", () => {
  it.each([
    ["S6.1", "ClusterNetworkPolicy", "first draft"],
    ["S6.5", "ClusterDefaultNetworkPolicy", "default policy"],
  ] as const)("%s: of a %s, of its rules, peers and ports changes no verdict", (_statement, kind, ofKind) => {
    const isOne = (policy: { apiVersion: string; kind: string }) =>
      policy.kind === kind && policy.apiVersion.startsWith("netpol.");
    const kinds = [...evaluatedKinds, ...Array<typeof ofKind>(8).fill(ofKind)];
    fc.assert(
      fc.property(anyScenario({ kinds, minLength: 2 }), fc.nat(), (scenario, seed) => {
        const reordered = withNamesExchanged(scenario.policies, isOne, seed).map((policy) =>
          isOne(policy) ? withListsShuffled(policy, lists, seed) : policy,
        );
        expect(verdictsIn(stateIn(scenario, reordered), scenario.questions)).toEqual(
          verdictsIn(stateIn(scenario), scenario.questions),
        );
      }),
      { numRuns: 80 },
    );
  });
});
