import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { type RuleProof, ruleProofs } from "../analysis/proof/rule-proofs.js";
import type { State } from "../state/state.js";
import { completed } from "../collections/steps.js";
import { compile } from "../engine/engine.js";
import { evaluateDirection } from "../evaluate/evaluate.js";
import { explore } from "../evaluate/facts.js";
import { type Flow, subjectOf } from "../evaluate/flow.js";
import { isSubject, portsMatch } from "../evaluate/match.js";
import { ruleMatches } from "../evaluate/walk.js";
import { formatRule } from "../policy/describe.js";
import type { Isolation, Rule, Tiers } from "../policy/model.js";
import { withoutRule } from "../policy/without-rule.js";
import { everyFlow } from "../../testing/transform/changed-without.js";
import { about, anyScenario, stateIn, describeDecision } from "../../testing/arbitrary/scenario.js";

/** For every answer to unknown facts with which the rule matches: which of these match too. */
function alsoMatching(
  rule: Rule,
  others: readonly Rule[],
  flow: Flow,
  { cluster }: State,
): readonly (readonly Rule[])[] {
  const { source, destination } = flow;
  const [end, other] = rule.origin.direction === "egress" ? [source, destination] : [destination, source];
  const subject = subjectOf(end);
  if (subject === undefined || !isSubject(rule.subject, subject) || !portsMatch(rule.ports, flow)) return [];
  const runs = explore((unknowns) => {
    const matches = (one: Rule) => ruleMatches(one, subject, other, { flow, cluster, unknowns });
    return matches(rule) ? others.filter(matches) : undefined;
  });
  return runs.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

const proofsIn = ({ cluster, tiers }: State): readonly RuleProof[] =>
  completed(ruleProofs(compile(cluster, tiers))).ofRules;

/** What is wrong with the proof that a rule is shadowed by others, if anything; `each`: each of them takes some of it here. */
function faultOf(
  rule: Rule,
  by: readonly (Rule | Isolation)[],
  flows: readonly Flow[],
  state: State,
  each: boolean,
): string | undefined {
  const { rules } = state.tiers[rule.origin.direction].find((tier) => tier.rules.includes(rule))!;
  const earlier = rules.slice(0, rules.indexOf(rule)).filter((other) => by.includes(other));
  if (earlier.length < by.length) return "not all come before it";
  const meeting = new Set<Rule>();
  for (const flow of flows)
    for (const matching of alsoMatching(rule, earlier, flow, state)) {
      if (matching.length === 0 && !isFromOwnNode(flow, state)) return `no rule takes ${about(flow)}`;
      for (const other of matching) meeting.add(other);
    }
  const idle = each ? earlier.find((other) => !meeting.has(other)) : undefined;
  return idle && `${formatRule(idle.origin)} takes nothing of it`;
}

/** S1.6: there, rules are not evaluated as they are elsewhere. */
const isFromOwnNode = (flow: Flow, { cluster, tiers }: State): boolean =>
  evaluateDirection("ingress", cluster, { egress: [], ingress: tiers.ingress }, flow).decisions.some(
    ({ by }) => by.kind === "own-node",
  );

describe("a rule that never decides anything", () => {
  it("S1.1: shadowed by others: they take all of it, and in this cluster each some of it", () => {
    let found = 0;
    fc.assert(
      fc.property(anyScenario({ minLength: 2, maxLength: 6 }), (scenario) => {
        const state = stateIn(scenario);
        const flows = everyFlow(state);
        for (const { rule, here, everywhere } of proofsIn(state))
          for (const proof of [here, everywhere]) {
            if (proof?.kind !== "shadowed") continue;
            found++;
            const fault = faultOf(rule, proof.by, flows, state, proof === here);
            expect(fault && `${formatRule(rule.origin)}: ${fault}`).toBeUndefined();
          }
      }),
      { numRuns: 40 },
    );
    expect(found).toBeGreaterThan(isFull ? 3 : 0);
  });

  it("S1.1, S1.2: unreached: no walk ends there", () => {
    let found = 0;
    fc.assert(
      fc.property(anyScenario({ minLength: 2, maxLength: 6 }), (scenario) => {
        const state = stateIn(scenario);
        const flows = everyFlow(state);
        for (const { rule, here, everywhere } of proofsIn(state)) {
          if (here?.kind !== "unreached" && everywhere?.kind !== "unreached") continue;
          found++;
          const { direction } = rule.origin;
          const ended = flows.find((flow) =>
            evaluateDirection(direction, state.cluster, state.tiers, flow).decisions.some(
              ({ by }) => by.kind === "rule" && by.rule === rule,
            ),
          );
          expect(ended && `${formatRule(rule.origin)}: ${about(ended)}`).toBeUndefined();
        }
      }),
      { numRuns: 25 },
    );
    expect(found).toBeGreaterThan(isFull ? 3 : 0);
  });

  it("S1.1: redundant: the example gets the same verdict without the rule, from the decider in the proof", () => {
    let found = 0;
    fc.assert(
      fc.property(anyScenario({ minLength: 2, maxLength: 6 }), (scenario) => {
        const state = stateIn(scenario);
        const { cluster, tiers } = state;
        for (const { rule, here } of proofsIn(state)) {
          if (here?.kind !== "redundant") continue;
          found++;
          const { flow, instead } = here.example();
          const evaluated = (all: Tiers) => evaluateDirection(rule.origin.direction, cluster, all, flow);
          const [before, after] = [evaluated(tiers), evaluated(withoutRule(tiers, rule))];
          const title = `${formatRule(rule.origin)}: ${about(flow)}`;
          expect([title, after.verdict]).toEqual([title, before.verdict]);
          expect([title, describeDecision(instead)]).toEqual([title, describeDecision(after.decisions[0]!)]);
        }
      }),
      { numRuns: 40 },
    );
    expect(found).toBeGreaterThan(isFull ? 3 : 0);
  });
});
