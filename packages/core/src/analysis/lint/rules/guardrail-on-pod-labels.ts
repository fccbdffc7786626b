import { formatMatch, type LabelMatch } from "../../../labels/requirement.js";
import { formatPolicy, type Peer, type PolicyRef } from "../../../policy/model.js";
import { relatedAt } from "../naming.js";
import { type Finding, finding } from "../finding.js";
import type { LintContext, LintRule, RuleInTier } from "../rule.js";

/**
 * Users that create pods choose their labels. They can evade a guardrail that selects pods by labels: a Deny by removing
 * a label, an exemption from one by setting it.
 */
export const guardrailOnPodLabels: LintRule = {
  code: "TW4010",
  *check(context) {
    const guardrails = context.guardrails;
    const reported = new Set<PolicyRef>();
    for (const placed of guardrails) {
      const { rule } = placed;
      const { policy } = rule.origin;
      const escape =
        rule.action === "Deny" ? denialOf(placed, context) : exemptionOf(placed, guardrails, context);
      // The subject is the same for all rules of a policy.
      if (escape === undefined || (escape.part === "subject" && reported.has(policy))) continue;
      if (escape.part === "subject") reported.add(policy);
      yield escape.finding;
    }
  },
};

interface Escape {
  readonly part: "subject" | "peer";
  readonly finding: Finding;
}

const hint =
  "Select whole namespaces instead, by name or by a label that only administrators can set, or protect the label with an admission policy.";

function denialOf({ rule, direction }: RuleInTier, context: LintContext): Escape | undefined {
  const { policy } = rule.origin;
  if (rule.subject.pods.length > 0) {
    const message = `anyone who can edit the labels of a pod can evade this Deny rule by ${changing(rule.subject.pods)}: it selects pods with ${formatMatch(rule.subject.pods)}`;
    const about = context.aboutSubject(policy);
    return { part: "subject", finding: finding("TW4010", message, { ...about, hint }) };
  }
  const labels = direction === "ingress" ? labelsOfOpenPeers(rule.peers, false)[0] : undefined;
  if (labels === undefined) return undefined;
  const message = `anyone who can edit the labels of a pod can evade this Deny rule by ${changing(labels)}: it selects clients with ${formatMatch(labels)}`;
  const about = context.about(rule, (_value, key) => key === "podSelector" || key === "fromEndpoints");
  return { part: "peer", finding: finding("TW4010", message, { ...about, hint }) };
}

/** A rule that exempts any pod with a label from what a later rule of the tier denies. */
function exemptionOf(
  placed: RuleInTier,
  guardrails: readonly RuleInTier[],
  context: LintContext,
): Escape | undefined {
  const { rule, direction } = placed;
  const isOpen = isEveryNamespace(rule.subject.namespaces);
  const ofSubject = isOpen && rule.subject.pods.length > 0 ? rule.subject.pods : undefined;
  const ofPeer = direction === "ingress" ? labelsOfOpenPeers(rule.peers, true)[0] : undefined;
  const labels = ofSubject ?? ofPeer;
  if (labels === undefined) return undefined;
  const denial = guardrails.find((other) => isDenialBehind(other, placed, context));
  if (denial === undefined) return undefined;
  const { policy } = denial.rule.origin;
  const does = rule.action === "Pass" ? "passes" : "allows";
  const claims = `anyone who can create pods, in any namespace, can set ${formatMatch(labels)}`;
  const message = `${claims} to evade ${formatPolicy(policy)}: this rule ${does} such pods before that policy denies the others`;
  const about =
    ofSubject === undefined
      ? context.about(rule, (_value, key) => key === "podSelector")
      : context.aboutSubject(rule.origin.policy);
  const related = [relatedAt(`${formatPolicy(policy)} denies the others`, denial.rule.origin.place())];
  const narrower = "Name the namespaces that these pods are in, by `kubernetes.io/metadata.name`.";
  return {
    part: ofSubject === undefined ? "peer" : "subject",
    finding: finding("TW4010", message, { ...about, hint: narrower, related }),
  };
}

/** A later rule of the tier that would deny connections that this one exempts. */
function isDenialBehind(
  other: RuleInTier,
  { rule, tier, direction, position }: RuleInTier,
  context: LintContext,
): boolean {
  return (
    other.rule.action === "Deny" &&
    other.tier === tier &&
    other.direction === direction &&
    other.position > position &&
    context.canBothMatch(rule, other.rule)
  );
}

/** Labels of peers that are selected by their own labels; `anywhere`: in whatever namespace they are. */
function labelsOfOpenPeers(peers: readonly Peer[], anywhere: boolean): readonly LabelMatch[] {
  return peers.flatMap((peer) => {
    if (peer.kind !== "pods" || peer.pods.kind !== "selector" || peer.pods.match.length === 0) return [];
    const isOpen = peer.namespaces.kind === "selector" && isEveryNamespace(peer.namespaces.match);
    return anywhere && !isOpen ? [] : [peer.pods.match];
  });
}

/** No label is required: any namespace matches. */
function isEveryNamespace(match: LabelMatch): boolean {
  return match.every(({ operator }) => operator === "NotIn" || operator === "DoesNotExist");
}

function changing(match: LabelMatch): string {
  const needed = match.some(({ operator }) => operator === "In" || operator === "Exists");
  return needed ? "removing the label" : "setting the label";
}
