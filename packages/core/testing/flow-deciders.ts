import type { State } from "../src/state/state.js";
import { subjectOf } from "../src/evaluate/flow.js";
import { isOwnNode, type Situation } from "../src/evaluate/match.js";
import { foreignDecides, isolatingIn, ruleMatches } from "../src/evaluate/walk.js";
import type { Direction, Isolation, Rule } from "../src/policy/model.js";

export type Decides = Rule | Isolation | "default" | "own-node";

/** The first matching rule of each tier, also if it passes. */
export function decidersOf(direction: Direction, { tiers }: State, situation: Situation): readonly Decides[] {
  const { source, destination } = situation.flow;
  const [end, other] = direction === "egress" ? [source, destination] : [destination, source];
  const subject = subjectOf(end);
  if (subject === undefined) return [];
  const matches = (rule: Rule) => ruleMatches(rule, subject, other, situation);
  if (direction === "ingress" && isOwnNode(subject, other, situation.unknowns)) {
    const binding = tiers.ingress.flatMap(({ rules }) => rules.filter((rule) => rule.bindsOwnNode));
    return [binding.find(matches) ?? "own-node"];
  }
  const found: Decides[] = [];
  for (const tier of tiers[direction]) {
    const rule = tier.rules.find(matches);
    if (rule?.condition?.kind === "foreign") {
      if (!foreignDecides(rule, tier, subject, other, situation)) continue;
      return [...found, rule];
    }
    if (rule !== undefined) {
      found.push(rule);
      if (rule.action !== "Pass") return found;
    } else if (isolatingIn(tier, subject).length > 0) {
      return [
        ...found,
        ...tier.isolation.filter((entry) => isolatingIn({ ...tier, isolation: [entry] }, subject).length > 0),
      ];
    }
  }
  return [...found, "default"];
}
