import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { domainMatches } from "../evaluate/domain.js";
import { evaluate } from "../evaluate/evaluate.js";
import type { DomainPattern } from "../policy/model.js";
import { type OracleOutcomes, oracle } from "../../testing/oracle/oracle.js";
import { nameFits } from "../../testing/oracle/oracle-domains.js";
import { andForeign, evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import { about, anyScenario, flowsOf, stateIn } from "../../testing/arbitrary/scenario.js";

const saying = (outcomes: OracleOutcomes) => (outcomes.size === 1 ? [...outcomes][0] : "both");

describe("S1.1 to S1.8: the evaluator and the oracle", () => {
  it("give the same verdict where everything is known", () => {
    fc.assert(
      fc.property(anyScenario({ complete: true, unknowable: false }), (scenario) => {
        const state = stateIn(scenario);
        for (const flow of scenario.questions.flatMap((question) => flowsOf(state, question))) {
          const { egress, ingress } = evaluate(state.cluster, state.tiers, flow);
          const expected = oracle(state.cluster, state.tiers, flow);
          expect([about(flow), egress.verdict, ingress.verdict]).toEqual([
            about(flow),
            saying(expected.egress),
            saying(expected.ingress),
          ]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["S9.1", "something is not known", evaluatedKinds],
    ["S9.3", "there are policies of other APIs", andForeign],
  ] as const)(
    "%s: agree on what is certain where %s, and Undecided is never more than possible",
    (_, __, kinds) => {
      fc.assert(
        fc.property(anyScenario({ kinds }), (scenario) => {
          const state = stateIn(scenario);
          for (const flow of scenario.questions.flatMap((question) => flowsOf(state, question))) {
            const connection = evaluate(state.cluster, state.tiers, flow);
            const expected = oracle(state.cluster, state.tiers, flow);
            for (const direction of ["egress", "ingress"] as const) {
              const { verdict } = connection[direction];
              if (expected[direction].size === 1)
                expect(`${direction} ${about(flow)}: ${verdict}`).toBe(
                  `${direction} ${about(flow)}: ${saying(expected[direction])}`,
                );
              if (verdict !== "Undecided") expect([...expected[direction]]).toContain(verdict);
            }
            // S1.4: one direction that denies is enough, whatever is unknown about the other.
            const each = [saying(expected.egress), saying(expected.ingress)];
            if (each.includes("Deny"))
              expect(`${about(flow)}: ${connection.verdict}`).toBe(`${about(flow)}: Deny`);
            if (!each.includes("both"))
              expect(connection.verdict).toBe(each.includes("Deny") ? "Deny" : "Allow");
          }
        }),
        { numRuns: 300 },
      );
    },
  );

  it("S8.1, S7.7: agree on which names a pattern matches", () => {
    const label = fc.constantFrom("www", "w", "ww", "a", "example", "com", "b-c");
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
    const starred = fc
      .array(fc.constantFrom("*", "w*", "*w", "*w*", "www", "a", "example", "com"), {
        minLength: 1,
        maxLength: 3,
      })
      .map((labels) => labels.join("."));
    const pattern = fc.oneof(
      name.map((text): DomainPattern => ({ kind: "exact", text })),
      name.map((text): DomainPattern => ({ kind: "subdomains", text })),
      starred.map((text): DomainPattern => ({ kind: "pattern", text })),
      starred.map((text): DomainPattern => ({ kind: "pattern", text: `**.${text}` })),
    );
    const dressed = fc.tuple(name, fc.constantFrom("", "."), fc.boolean());
    fc.assert(
      fc.property(pattern, dressed, (pattern, [name, dot, loud]) => {
        const asked = `${loud ? name.toUpperCase() : name}${dot}`;
        expect(domainMatches(pattern, asked)).toBe(nameFits(pattern, asked));
      }),
      { numRuns: 2000 },
    );
  });
});
