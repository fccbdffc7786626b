import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../evaluate/evaluate.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { runsOn } from "../../testing/oracle/oracle.js";
import { about, anyScenario, flowsOf, stateIn } from "../../testing/arbitrary/scenario.js";

/** Denies every pod its own node, and isolates no pod. */
const denyOwnNode: Manifest = {
  apiVersion: "cilium.io/v2",
  kind: "CiliumClusterwideNetworkPolicy",
  metadata: { name: "deny-own-node" },
  spec: {
    endpointSelector: {},
    enableDefaultDeny: { ingress: false },
    ingressDeny: [{ fromEntities: ["host"] }],
  },
};

describe("a pod's own node", () => {
  it("S1.6, S7.8: reaches it whatever the policies, except for a Cilium deny item; others are not affected by that", () => {
    fc.assert(
      fc.property(anyScenario({ complete: true, unknowable: false, minLength: 1 }), (scenario) => {
        const withoutCilium = scenario.policies.filter(({ kind }) => !kind.startsWith("Cilium"));
        const [open, closed] = [withoutCilium, [...withoutCilium, denyOwnNode]].map((policies) =>
          stateIn(scenario, policies),
        );
        for (const flow of scenario.questions.flatMap((question) => flowsOf(open!, question))) {
          const { destination, source } = flow;
          if (destination.kind !== "pod" || destination.pod.hostNetwork) continue;
          const [before, after] = [open!, closed!].map(
            ({ cluster, tiers }) => evaluate(cluster, tiers, flow).ingress.verdict,
          );
          const isOwn = runsOn(destination.pod, source) === "yes";
          const expected = isOwn ? ["Allow", "Deny"] : [before, before];
          expect([about(flow), before, after]).toEqual([about(flow), ...expected]);
        }
      }),
      { numRuns: 80 },
    );
  });
});
