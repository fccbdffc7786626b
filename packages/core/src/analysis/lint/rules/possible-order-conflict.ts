import { exampleOf } from "../../../labels/satisfiable.js";
import type { Labels } from "../../../labels/requirement.js";
import { formatPolicy, type PodSelection, type PolicyRef, type Rule } from "../../../policy/model.js";
import { canMeet } from "../../../policy/can-meet.js";
import type { RuleProof } from "../../proof/rule-proofs.js";
import { type SharedPriority, sharedPriorities } from "../../proof/shared-priorities.js";
import { type Finding, finding } from "../finding.js";
import { relatedPolicies } from "../naming.js";
import type { LintContext, LintRule } from "../rule.js";
import { aboutPriority, priorityOf } from "./shared-priority.js";

/** S1.13: two policies of one priority that nothing here makes disagree, and that some labels would. */
export const possibleOrderConflict: LintRule = {
  code: "TW4108",
  *check(context) {
    const conflicts = context.proofs.orderConflicts;
    const disagree = (a: PolicyRef, b: PolicyRef) =>
      conflicts.some(({ first, second }) => first === a && second === b);
    const covered = coveredInTheirPolicy(context.proofs.ofRules);
    for (const shared of sharedPriorities(context.state.tiers))
      for (const [first, second] of pairsOf(shared.policies)) {
        if (disagree(first, second)) continue;
        const meeting = whereTheyMeet(first, second, covered, context);
        if (meeting !== undefined) yield possible(shared, first, second, meeting, context);
      }
  },
};

/** Beyond this many policies of one priority, each is held against its neighbour only: the point is made. */
const everyPairUpTo = 20;

function pairsOf(policies: readonly PolicyRef[]): readonly (readonly [PolicyRef, PolicyRef])[] {
  const last = (i: number) => (policies.length > everyPairUpTo ? i + 2 : policies.length);
  return policies.flatMap((a, i) => policies.slice(i + 1, last(i)).map((b) => [a, b] as const));
}

/** Rules that an earlier rule of their own policy covers: no order of the policies gives them an effect. */
function coveredInTheirPolicy(proofs: readonly RuleProof[]): ReadonlySet<Rule> {
  return new Set(
    proofs.flatMap((proof) =>
      proof.kind === "shadowed" && proof.always?.origin.policy === proof.rule.origin.policy
        ? [proof.rule]
        : [],
    ),
  );
}

/** Whom both would be for: rules of the two that could match one connection, and say different things. */
function whereTheyMeet(
  first: PolicyRef,
  second: PolicyRef,
  covered: ReadonlySet<Rule>,
  { rulesByPolicy }: LintContext,
): PodSelection | undefined {
  const rulesOf = (policy: PolicyRef): readonly Rule[] =>
    (rulesByPolicy.get(policy) ?? []).map(({ rule }) => rule).filter((rule) => !covered.has(rule));
  for (const a of rulesOf(first))
    for (const b of rulesOf(second))
      if (a.action !== b.action && canMeet(a, b))
        return {
          namespaces: [...a.subject.namespaces, ...b.subject.namespaces],
          pods: [...a.subject.pods, ...b.subject.pods],
        };
  return undefined;
}

function possible(
  shared: SharedPriority,
  first: PolicyRef,
  second: PolicyRef,
  meeting: PodSelection,
  context: LintContext,
): Finding {
  const selected = context.podsOf(meeting);
  const where =
    selected.length > 0
      ? "no connection of the pods that both select shows it today"
      : `no pod is selected by both today; ${wouldBe(meeting)} would be`;
  return finding(
    "TW4108",
    `${formatPolicy(first)} and ${formatPolicy(second)} share ${priorityOf(shared)} of tier ${shared.tier} and could disagree: ${where}`,
    {
      ...aboutPriority(second, context),
      ...(selected.length === 0
        ? {}
        : {
            witness: {
              kind: "pods",
              pods: selected.slice(0, 3).map(({ pod }) => pod),
              count: selected.length,
            },
          }),
      related: relatedPolicies([first]),
      hint: "Then the order of the two would decide. Give the one that should win a priority that comes first.",
    },
  );
}

/** `a pod with app=web in a namespace with stage=prod, team=blue`. */
function wouldBe({ namespaces, pods }: PodSelection): string {
  const labelled = (what: string, labels: Labels | undefined) => {
    const texts = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
    return texts.length === 0 ? what : `${what} with ${texts.join(", ")}`;
  };
  return `${labelled("a pod", exampleOf(pods))} in ${labelled("a namespace", exampleOf(namespaces))}`;
}
