import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { traceWalk, type WalkTrace } from "../analysis/explain/trace.js";
import { evaluate, type WalkVerdict } from "../evaluate/evaluate.js";
import type { Flow } from "../evaluate/flow.js";
import { andForeign } from "../../testing/arbitrary/arbitrary-policies.js";
import { runsOn } from "../../testing/oracle/oracle.js";
import { about, anyScenario, flowsOf, type Scenario, stateIn } from "../../testing/arbitrary/scenario.js";

const directions = ["egress", "ingress"] as const;

/** The rules and tiers that end the walk according to a trace. */
function endings({ tiers }: WalkTrace) {
  const rules = tiers.flatMap((tier) => tier.rules);
  return {
    matching: rules
      .filter(({ result, rule }) => result === "matches" && rule.action !== "Pass")
      .map(({ rule }) => rule),
    possible: rules
      .filter(({ result }) => result === "may-match" || result === "matches")
      .map(({ rule }) => rule),
    isolating: tiers
      .filter(({ outcome, rules }) => outcome === "deny" && rules.every(({ result }) => result !== "matches"))
      .map(({ tier, isolation }) => ({ tier, isolation })),
    outcomes: tiers.map(({ outcome }) => outcome),
  };
}

function everyWalk(
  scenario: Scenario,
  check: (walk: WalkVerdict, trace: WalkTrace, direction: "egress" | "ingress", flow: Flow) => void,
): void {
  const state = stateIn(scenario);
  for (const flow of scenario.questions.flatMap((question) => flowsOf(state, question))) {
    const connection = evaluate(state.cluster, state.tiers, flow);
    for (const direction of directions) {
      const walk = connection[direction];
      check(walk, traceWalk(state, direction, flow, walk), direction, flow);
    }
  }
}

describe("a trace", () => {
  it("S1.1, S1.2: where everything is known, names as matching exactly what decided", () => {
    fc.assert(
      fc.property(anyScenario({ complete: true, unknowable: false, minLength: 1 }), (scenario) => {
        everyWalk(scenario, ({ decisions: [decision], verdict }, trace, direction, flow) => {
          const { matching, isolating, outcomes } = endings(trace);
          const { by } = decision!;
          expect(matching, `${direction} ${about(flow)}`).toEqual(by.kind === "rule" ? [by.rule] : []);
          expect(isolating).toEqual(
            by.kind === "isolation" ? [{ tier: by.tier, isolation: by.isolation }] : [],
          );
          const ends = outcomes.filter((outcome) => outcome === "allow" || outcome === "deny");
          const decides = by.kind === "rule" || by.kind === "isolation";
          expect(ends).toEqual(decides ? [verdict === "Allow" ? "allow" : "deny"] : []);
          expect(outcomes).not.toContain("undecided");
          // Nothing after the end is reached, and nothing before it is left out.
          const end = outcomes.findIndex((outcome) => outcome === "allow" || outcome === "deny");
          for (const [i, outcome] of outcomes.entries())
            expect(outcome === "not-reached").toBe(end !== -1 && i > end);
        });
      }),
      { numRuns: 60 },
    );
  });

  it("S9.1: with unknown facts, names everything that may decide, and marks what is undecided", () => {
    fc.assert(
      fc.property(anyScenario({ kinds: andForeign, minLength: 1 }), (scenario) => {
        everyWalk(scenario, ({ decisions, verdict }, trace, direction, flow) => {
          const { possible, outcomes } = endings(trace);
          // Which rules apply is itself unknown if a node may be the pod's own (S1.6, S7.8).
          const end =
            direction === "ingress" && flow.destination.kind === "pod" ? flow.destination.pod : undefined;
          if (end !== undefined && runsOn(end, flow.source) === "maybe") return;
          for (const { by } of decisions) if (by.kind === "rule") expect(possible).toContain(by.rule);
          if (verdict === "Undecided") expect(outcomes).toContain("undecided");
        });
      }),
      { numRuns: 60 },
    );
  });
});
