import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CiliumSpec } from "../../testing/arbitrary/arbitrary-cilium.js";
import type { NetworkPolicySpec } from "../../testing/arbitrary/arbitrary-network-policy.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, connectionsIn, stateIn, tell } from "../../testing/arbitrary/scenario.js";

type Direction = "ingress" | "egress";

/** What a policy says about one direction, and nothing about the other. */
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
    "S1.4: what policies say about the other direction changes nothing about %s, not even who decides",
    (direction) => {
      // Where a Cilium rule stands in `specs` is part of its path.
      const place = (text: string) => text.replace(/\bspecs?(\[\d+\])?\./g, "");
      fc.assert(
        fc.property(anyScenario({ minLength: 1 }), (scenario) => {
          const half = stateIn(
            scenario,
            scenario.policies.flatMap((policy) => only(direction, policy)),
          );
          const [all, part] = [stateIn(scenario), half].map((state) =>
            connectionsIn(state, scenario.questions).map((connection) => place(tell(connection[direction]))),
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
          // S9.1: what opens one direction may close the other, so that both are open and the whole is not.
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
