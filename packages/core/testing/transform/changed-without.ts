import type { State } from "../../src/state/state.js";
import { evaluateDirection, type WalkVerdict } from "../../src/evaluate/evaluate.js";
import { type Flow, subjectOf } from "../../src/evaluate/flow.js";
import { isSubject, portsMatch } from "../../src/evaluate/match.js";
import type { Rule } from "../../src/policy/model.js";
import { withoutRule } from "../../src/policy/without-rule.js";
import { flowsAmong, memberPairs, otherPairs, portsAtBorders } from "../every-flow.js";

/** Every connection of a small cluster that some rule could distinguish. */
export function everyFlow(state: State): readonly Flow[] {
  const pairs = [...memberPairs(state.cluster), ...otherPairs(state)];
  return [...flowsAmong(pairs, portsAtBorders(state))];
}

/** The first connection that changes when a rule is removed: its verdict, or its conditions. */
export function changedWithout(state: State, rule: Rule, flows: readonly Flow[]): Flow | undefined {
  const { direction } = rule.origin;
  const tiers = withoutRule(state.tiers, rule);
  return flows.find((flow) => {
    const subject = subjectOf(direction === "egress" ? flow.source : flow.destination);
    if (subject === undefined || !isSubject(rule.subject, subject) || !portsMatch(rule.ports, flow))
      return false;
    const [before, after] = [state.tiers, tiers].map((all) =>
      said(evaluateDirection(direction, state.cluster, all, flow)),
    );
    return before !== after;
  });
}

const said = ({ verdict, decisions }: WalkVerdict): string =>
  [verdict, ...new Set(decisions.flatMap(({ conditions }) => conditions))].join("; ");
