import { formatMatch, type LabelMatch } from "../../../labels/requirement.js";
import { formatPolicy, type Peer, type PolicyRef } from "../../../policy/model.js";
import { relatedAt } from "../naming.js";
import { type Finding, finding } from "../finding.js";
import { subjectsCanMeet } from "../../../policy/can-meet.js";
import type { LintContext, LintRule, RuleInTier } from "../rule.js";

/**
 * Whoever may create pods chooses their labels. A guardrail that goes by them binds only those who play along: a denial
 * is left by dropping a label, an exemption from one is had by setting it.
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
  "Select whole namespaces instead, by name or by a label that only administrators may set, or let an admission policy guard the label.";

function denialOf({ rule, direction }: RuleInTier, context: LintContext): Escape | undefined {
  const { policy } = rule.origin;
  if (rule.subject.pods.length > 0) {
    const message = `this denial is only for pods with ${formatMatch(rule.subject.pods)}: whoever creates pods chooses their labels, and escapes it by ${changing(rule.subject.pods)}`;
    const about = context.aboutSubject(policy);
    return { part: "subject", finding: finding("TW4010", message, { ...about, hint }) };
  }
  const labels = direction === "ingress" ? labelsOfOpenPeers(rule.peers, false)[0] : undefined;
  if (labels === undefined) return undefined;
  const message = `this denial is only for what comes from pods with ${formatMatch(labels)}: whoever creates pods chooses their labels, and gets in by ${changing(labels)}`;
  const about = context.about(rule, (_value, key) => key === "podSelector" || key === "fromEndpoints");
  return { part: "peer", finding: finding("TW4010", message, { ...about, hint }) };
}

/** A rule that lets through what a later one of the tier would deny, to any pod that claims the label. */
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
  const denial = guardrails.find((other) => isDenialBehind(other, placed));
  if (denial === undefined) return undefined;
  const { policy } = denial.rule.origin;
  const does = rule.action === "Pass" ? "passes" : "allows";
  const claims = `any pod of any namespace may give itself ${formatMatch(labels)}`;
  const message = `this ${does} pods before ${formatPolicy(policy)} denies the others, and ${claims}`;
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

function isDenialBehind(other: RuleInTier, { rule, tier, direction, position }: RuleInTier): boolean {
  return (
    other.rule.action === "Deny" &&
    other.tier === tier &&
    other.direction === direction &&
    other.position > position &&
    subjectsCanMeet(other.rule.subject, rule.subject) &&
    other.rule.peers.some(({ kind }) => kind === "pods" || kind === "everything" || kind === "networks")
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

/** No label has to be there: a namespace of one's own will do. */
function isEveryNamespace(match: LabelMatch): boolean {
  return match.every(({ operator }) => operator === "NotIn" || operator === "DoesNotExist");
}

function changing(match: LabelMatch): string {
  const needed = match.some(({ operator }) => operator === "In" || operator === "Exists");
  return needed ? "leaving the label out" : "setting the label";
}
