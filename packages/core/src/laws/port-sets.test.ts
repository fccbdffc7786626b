import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { portSets } from "../analysis/explain/port-verdicts.js";
import { type ConnectionVerdict, evaluate, type WalkVerdict } from "../evaluate/evaluate.js";
import type { Protocol } from "../policy/model.js";
import { evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import { transports } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { about, anyScenario, flowsOf, stateIn, describeDecision } from "../../testing/arbitrary/scenario.js";

const reason = ({ verdict, decisions }: WalkVerdict) => [verdict, ...decisions.map(describeDecision)];
const reasons = ({ verdict, egress, ingress }: ConnectionVerdict) => [
  verdict,
  reason(egress),
  reason(ingress),
];

describe("the sets of ports that an explanation shows", () => {
  it("S1.7: cover every port of every protocol once, and have the evaluator's verdict for each", () => {
    // Cilium's peers are those that may or may not match.
    const kinds = [...evaluatedKinds, "Cilium", "Cilium", "Cilium"] as const;
    fc.assert(
      fc.property(
        anyScenario({ kinds, minLength: 1 }),
        fc.integer({ min: 1, max: 65535 }),
        (scenario, random) => {
          const state = stateIn(scenario);
          for (const flow of scenario.questions.slice(0, 8).flatMap((question) => flowsOf(state, question))) {
            const { protocol: _, port: __, ...pair } = flow;
            const sets = portSets(state, pair);
            const evaluated = (protocol: Protocol, port: number) =>
              reasons(evaluate(state.cluster, state.tiers, { ...pair, protocol, port }));
            for (const protocol of transports) {
              const ofProtocol = sets.filter((set) => set.protocol === protocol);
              const pieces = ofProtocol.flatMap((set) =>
                set.ranges.map(([first, last]) => ({ first, last, set })),
              );
              const sorted = pieces.toSorted((a, b) => a.first - b.first);
              const ends = sorted.map(({ last }) => last);
              expect(sorted.map(({ first }) => first)).toEqual([
                1,
                ...ends.slice(0, -1).map((end) => end + 1),
              ]);
              expect(ends.at(-1)).toBe(65535);
              for (const { first, last, set } of sorted) {
                expect(set.verdict).toBe(set.connection.verdict);
                for (const port of [
                  first,
                  last,
                  (first + last) >> 1,
                  ...(first <= random && random <= last ? [random] : []),
                ])
                  expect([about({ ...flow, protocol, port }), reasons(set.connection)]).toEqual([
                    about({ ...flow, protocol, port }),
                    evaluated(protocol, port),
                  ]);
              }
              // For a single protocol, the answer is the same.
              expect(portSets(state, pair, protocol).map(({ ranges, verdict }) => [ranges, verdict])).toEqual(
                ofProtocol.map(({ ranges, verdict }) => [ranges, verdict]),
              );
            }
            const icmp = sets.filter((set) => set.protocol === "ICMP");
            expect(icmp.map((set) => [set.ranges, reasons(set.connection)])).toEqual([
              [[], evaluated("ICMP", 0)],
            ]);
          }
        },
      ),
      { numRuns: 80 },
    );
  });
});
