import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { coversRule } from "../analysis/proof/covers.js";
import type { State } from "../state/state.js";
import { explore } from "../evaluate/facts.js";
import { type Flow, subjectOf } from "../evaluate/flow.js";
import { isSubject, portsMatch } from "../evaluate/match.js";
import { ruleMatches } from "../evaluate/walk.js";
import { formatRule } from "../policy/describe.js";
import type { Rule } from "../policy/model.js";
import { everyFlow } from "../../testing/transform/changed-without.js";
import { about, anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";

/** Whether for some answer to unknown facts, the inner rule matches a connection and the outer does not. */
function escapes(flow: Flow, inner: Rule, outer: Rule, { cluster }: State): boolean {
  const { source, destination } = flow;
  const [end, other] = inner.origin.direction === "egress" ? [source, destination] : [destination, source];
  const subject = subjectOf(end);
  if (subject === undefined || !isSubject(inner.subject, subject) || !portsMatch(inner.ports, flow))
    return false;
  return explore((unknowns) => {
    const matches = (rule: Rule) => ruleMatches(rule, subject, other, { flow, cluster, unknowns });
    return matches(inner) && !matches(outer);
  }).some(({ value }) => value);
}

describe("a rule that covers another", () => {
  it("S1.1: matches every connection that the other matches, whatever is unknown", () => {
    let pairs = 0;
    fc.assert(
      fc.property(anyScenario({ minLength: 3, maxLength: 6 }), (scenario) => {
        const state = stateIn(scenario);
        const flows = everyFlow(state);
        for (const direction of ["egress", "ingress"] as const) {
          const rules = state.tiers[direction].flatMap((tier) => tier.rules);
          for (const outer of rules)
            for (const inner of rules) {
              if (outer === inner || !coversRule(outer, inner)) continue;
              pairs++;
              const escaped = flows.find((flow) => escapes(flow, inner, outer, state));
              const names = [outer, inner].map(({ origin }) => formatRule(origin)).join(" and ");
              expect(escaped && `${names}: ${about(escaped)}`).toBeUndefined();
            }
        }
      }),
      { numRuns: 25 },
    );
    expect(pairs).toBeGreaterThan(isFull ? 5 : 0);
  });
});
