import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCiliumItem, type CiliumSpec } from "../../testing/arbitrary/arbitrary-cilium.js";
import { type DraftSpec, draftRule } from "../../testing/arbitrary/arbitrary-first-draft.js";
import {
  egressRule,
  ingressRule,
  type NetworkPolicySpec,
} from "../../testing/arbitrary/arbitrary-network-policy.js";
import { evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import { fields, type Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, connectionsIn, type Scenario, stateIn } from "../../testing/arbitrary/scenario.js";

const rank = { Deny: 0, Undecided: 1, Allow: 2 } as const;

/** Nothing that was allowed is denied, and nothing that may have been allowed is denied for certain. */
function expectMore(scenario: Scenario, richer: readonly Manifest[]): void {
  const [before, after] = [stateIn(scenario), stateIn(scenario, richer)].map((state) =>
    connectionsIn(state, scenario.questions).map(({ verdict }) => verdict),
  );
  for (const [i, verdict] of before!.entries())
    expect(rank[after![i]!], `question ${i}: ${verdict} became ${after![i]}`).toBeGreaterThanOrEqual(
      rank[verdict],
    );
}

const scenarios = (kind: (typeof evaluatedKinds)[number]) =>
  anyScenario({ kinds: [...evaluatedKinds, ...Array<typeof kind>(6).fill(kind)], minLength: 1 });

describe("allow rules add up", () => {
  it("S2.1: another rule in a NetworkPolicy that isolates never turns an Allow into a Deny", () => {
    const rules = fields({ ingress: ingressRule, egress: egressRule });
    fc.assert(
      fc.property(scenarios("NetworkPolicy"), rules, (scenario, added) => {
        const richer = scenario.policies.map((policy): Manifest => {
          if (policy.kind !== "NetworkPolicy") return policy;
          const spec = policy.spec as NetworkPolicySpec;
          // An egress rule without policyTypes would begin to isolate egress.
          const isolatesEgress =
            (spec.policyTypes ?? []).includes("Egress") || (spec.egress ?? []).length > 0;
          return {
            ...policy,
            spec: {
              ...spec,
              ingress: [added.ingress, ...(spec.ingress ?? [])],
              ...(isolatesEgress ? { egress: [...(spec.egress ?? []), added.egress] } : {}),
            },
          };
        });
        expectMore(scenario, richer);
      }),
      { numRuns: 80 },
    );
  });

  it("S6.5: another rule in a ClusterDefaultNetworkPolicy, or another such policy for isolated pods, does not either", () => {
    fc.assert(
      fc.property(scenarios("default policy"), fields(draftRule), (scenario, added) => {
        const richer = scenario.policies.flatMap((policy): Manifest[] => {
          if (policy.kind !== "ClusterDefaultNetworkPolicy") return [policy];
          const spec = policy.spec as DraftSpec;
          const [ingress, egress] = (["ingress", "egress"] as const).map((direction) =>
            direction in spec ? { [direction]: [...(spec[direction] ?? []), added[direction]] } : {},
          );
          const twin = { ...policy, metadata: { name: `0-${policy.metadata.name}` } };
          return [{ ...policy, spec: { ...spec, ...ingress, ...egress } }, twin];
        });
        expectMore(scenario, richer);
      }),
      { numRuns: 80 },
    );
  });

  it("S7.2: nor does another plain item in a section of a Cilium policy", () => {
    const items = fields({
      ingress: anyCiliumItem("ingress", { conditions: false }),
      egress: anyCiliumItem("egress", { conditions: false }),
    });
    fc.assert(
      fc.property(scenarios("Cilium"), items, (scenario, added) => {
        const grow = (spec: CiliumSpec): CiliumSpec => ({
          ...spec,
          ...((spec.ingress?.length ?? 0) > 0 ? { ingress: [...spec.ingress!, added.ingress] } : {}),
          ...((spec.egress?.length ?? 0) > 0 ? { egress: [added.egress, ...spec.egress!] } : {}),
        });
        const richer = scenario.policies.map((policy): Manifest => {
          if (!policy.kind.startsWith("Cilium")) return policy;
          const { spec, specs } = policy as Manifest<CiliumSpec>;
          return {
            ...policy,
            ...(spec === undefined ? {} : { spec: grow(spec) }),
            ...(specs === undefined ? {} : { specs: specs.map(grow) }),
          };
        });
        expectMore(scenario, richer);
      }),
      { numRuns: 80 },
    );
  });
});
