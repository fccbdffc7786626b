import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CiliumSpec } from "../../testing/arbitrary/arbitrary-cilium.js";
import type { NetworkPolicySpec } from "../../testing/arbitrary/arbitrary-network-policy.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, connectionsIn, stateIn, describeWalk } from "../../testing/arbitrary/scenario.js";

type Direction = "ingress" | "egress";

/** A policy with one of its directions only. */
function only(direction: Direction, policy: Manifest): readonly Manifest[] {
  const other = direction === "ingress" ? "egress" : "ingress";
  const { spec, specs, ...head } = policy;
  if (policy.kind === "NetworkPolicy") {
    const { policyTypes = [], ...rest } = spec as NetworkPolicySpec;
    const types =
      policyTypes.length > 0 ? policyTypes : rest.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
    const type = direction === "ingress" ? "Ingress" : "Egress";
    return types.includes(type) ? [{ ...head, spec: without(rest, [other], { policyTypes: [type] }) }] : [];
  }
  if (!policy.kind.startsWith("Cilium")) return [{ ...head, spec: without(spec as object, [other]) }];
  const rules = [...(spec === undefined ? [] : [spec]), ...(specs ?? [])] as CiliumSpec[];
  const left = rules
    .filter((rule) => (rule[direction]?.length ?? 0) + (rule[`${direction}Deny`]?.length ?? 0) > 0)
    .map((rule) => without(rule, [other, `${other}Deny`]));
  return left.length === 0 ? [] : [{ ...head, specs: left }];
}

const without = (object: object, fields: readonly string[], more: object = {}): object => ({
  ...Object.fromEntries(Object.entries(object).filter(([key]) => !fields.includes(key))),
  ...more,
});

describe("the two directions", () => {
  it.each(["ingress", "egress"] as const)(
    "S1.4: rules of the other direction change nothing about %s, not even the decider",
    (direction) => {
      // The index of a Cilium rule in `specs` is part of its path.
      const place = (text: string) => text.replace(/\bspecs?(\[\d+\])?\./g, "");
      fc.assert(
        fc.property(anyScenario({ minLength: 1 }), (scenario) => {
          const half = stateIn(
            scenario,
            scenario.policies.flatMap((policy) => only(direction, policy)),
          );
          const [all, part] = [stateIn(scenario), half].map((state) =>
            connectionsIn(state, scenario.questions).map((connection) =>
              place(describeWalk(connection[direction])),
            ),
          );
          expect(part).toEqual(all);
        }),
        { numRuns: 80 },
      );
    },
  );

  it("S1.4: a connection is allowed when both directions allow it, and denied when one denies it", () => {
    fc.assert(
      fc.property(anyScenario({ minLength: 1 }), (scenario) => {
        for (const { verdict, egress, ingress } of connectionsIn(stateIn(scenario), scenario.questions)) {
          const both = [egress.verdict, ingress.verdict];
          if (verdict === "Allow") expect(both).toEqual(["Allow", "Allow"]);
          // S9.1: a fact that allows one direction may deny the other, so both are undecided and the connection is not.
          if (verdict === "Deny")
            expect([...both, both.join()]).toEqual(
              expect.arrayContaining([expect.stringMatching(/^Deny$|^Undecided,Undecided$/)]),
            );
          if (verdict === "Undecided") expect(both).not.toContain("Deny");
        }
      }),
      { numRuns: 50 },
    );
  });
});
