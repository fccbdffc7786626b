import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convert } from "../analysis/convert/convert.js";
import { targets } from "../analysis/convert/targets.js";
import type { State } from "../state/state.js";
import type { Verdict } from "../evaluate/evaluate.js";
import { formatEndpoint } from "../evaluate/flow.js";
import { type PolicyKindName, evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import { anyScenario, connectionsIn, type Scenario, stateIn } from "../../testing/arbitrary/scenario.js";

const names = Object.keys(targets) as (keyof typeof targets)[];

/** Between existing endpoints: a conversion guarantees nothing about others. */
function verdictsBetween(state: State, { questions }: Scenario): readonly Verdict[] {
  const existing = questions.filter(({ from, to }) => from.kind !== "new" && to.kind !== "new");
  return connectionsIn(state, existing).map(({ verdict }) => verdict);
}

describe("a conversion", () => {
  it.each(names)("to %s that is proven changes no verdict of the literal evaluator", (to) => {
    fc.assert(
      fc.property(anyScenario({ minLength: 1, maxLength: 4 }), (scenario) => {
        const state = stateIn(scenario);
        const { proof, after } = convert(state, { to });
        if (after === undefined || proof?.changedPairs !== 0) return;
        expect(verdictsBetween(after, scenario)).toEqual(verdictsBetween(state, scenario));
      }),
      { numRuns: 50 },
    );
  });

  // ClusterNetworkPolicy can express these, in any mixture and in any cluster.
  const sameWords: readonly PolicyKindName[] = [
    "AdminNetworkPolicy",
    "BaselineAdminNetworkPolicy",
    "seed ClusterNetworkPolicy",
    "released ClusterNetworkPolicy",
    "NetworkPolicy",
  ];

  it("of released policies to cluster-network-policy is always proven", () => {
    fc.assert(
      fc.property(anyScenario({ kinds: sameWords, minLength: 1, maxLength: 6 }), (scenario) => {
        const { refusals, proof } = convert(stateIn(scenario), { to: "cluster-network-policy" });
        expect(refusals).toEqual([]);
        expect(proof?.changedPairs ?? 0).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it("of KEP policies to cluster-network-policy is proven, unless a port name means several protocols", () => {
    fc.assert(
      fc.property(
        anyScenario({ kinds: [...sameWords, "KEP AdminNetworkPolicy"], minLength: 1, maxLength: 6 }),
        (scenario) => {
          const { refusals, proof, remarks } = convert(stateIn(scenario), { to: "cluster-network-policy" });
          expect(refusals).toEqual([]);
          const isSaid = remarks.some((text) => text.includes("names of ports of any protocol"));
          if (!isSaid) expect(proof?.changedPairs ?? 0).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("to network-policy allows nothing new, even if it is not proven", () => {
    const kinds = evaluatedKinds.filter((kind) => kind !== "Cilium");
    fc.assert(
      fc.property(anyScenario({ kinds, minLength: 1, maxLength: 4 }), (scenario) => {
        const { proof } = convert(stateIn(scenario), { to: "network-policy" });
        const opened = (proof?.examples ?? []).filter(
          ({ before, after }) => before === "Deny" && after !== "Deny",
        );
        expect(opened.map(({ source, destination }) => [source, destination].map(formatEndpoint))).toEqual(
          [],
        );
      }),
      { numRuns: 50 },
    );
  });

  it("there and back is proven for policies of tier admin", () => {
    const kinds = ["AdminNetworkPolicy", "NetworkPolicy"] as const;
    fc.assert(
      fc.property(anyScenario({ kinds, minLength: 1, maxLength: 4 }), (scenario) => {
        const there = convert(stateIn(scenario), { to: "cluster-network-policy" });
        if (there.after === undefined) return;
        const back = convert(there.after, { to: "network-policy-api-v1alpha1" });
        expect(back.refusals).toEqual([]);
        expect(back.proof?.changedPairs ?? 0).toBe(0);
      }),
      { numRuns: 30 },
    );
  });
});
