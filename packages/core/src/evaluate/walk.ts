import { describeForeign } from "../policy/describe.js";
import type { Direction, Isolation, Rule, Tier, TierName, Tiers } from "../policy/model.js";
import type { Fact } from "./facts.js";
import type { Endpoint, PodEndpoint } from "./flow.js";
import {
  anyPeerMatches,
  isOwnNode,
  isSubject,
  peerMatches,
  portMatches,
  portsMatch,
  type Situation,
} from "./match.js";

/** Who ended a walk. */
export type Decider =
  | { readonly kind: "rule"; readonly tier: TierName; readonly rule: Rule }
  | { readonly kind: "isolation"; readonly tier: TierName; readonly isolation: readonly Isolation[] }
  /** No rule and no isolation: Allow (S1.3). */
  | { readonly kind: "default" }
  /** No policies are evaluated for an endpoint that is not a pod with its own network (S1.4). */
  | { readonly kind: "no-walk" }
  /** S1.6 */
  | { readonly kind: "own-address" }
  | { readonly kind: "own-node" };

export interface Decision {
  readonly verdict: "Allow" | "Deny";
  readonly by: Decider;
  /** What an Allow still depends on (S7.7). */
  readonly conditions: readonly string[];
}

/** One direction of one connection, all facts being settled. This and match.ts are the specification. */
export function walk(direction: Direction, tiers: Tiers, situation: Situation): Decision {
  const { source, destination, toItself } = situation.flow;
  const [end, other] = direction === "egress" ? [source, destination] : [destination, source];
  // S1.4: nodes, external addresses and host-network pods have no walk.
  if (end.kind !== "pod" || end.pod.hostNetwork) return allowedBy({ kind: "no-walk" });
  if (toItself) return allowedBy({ kind: "own-address" });
  if (direction === "ingress" && isOwnNode(end, other, situation.unknowns))
    return walkFromOwnNode(tiers.ingress, end, other, situation);

  // S1.1: the tiers in order; S1.3: after the last one, Allow.
  for (const tier of tiers[direction]) {
    const outcome = walkTier(tier, end, other, situation);
    if (outcome !== "next") return outcome;
  }
  return allowedBy({ kind: "default" });
}

// S1.1: the first rule that matches decides; S1.2: or isolation does; S1.3: or the next tier.
function walkTier(
  tier: Tier,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): Decision | "next" {
  for (const rule of tier.rules) {
    if (!ruleMatches(rule, subject, other, situation)) continue;
    if (rule.condition?.kind === "foreign") return decideForeign(rule, tier, subject, other, situation);
    return rule.action === "Pass" ? "next" : decide(rule, tier, subject, other, situation);
  }
  const isolation = isolatingIn(tier, subject);
  return isolation.length > 0
    ? { verdict: "Deny", by: { kind: "isolation", tier: tier.name, isolation }, conditions: [] }
    : "next";
}

/** The policies that isolate the subject in this tier, each once. */
export function isolatingIn(tier: Tier, subject: PodEndpoint): readonly Isolation[] {
  const found = tier.isolation.filter((entry) => isSubject(entry.subject, subject));
  const policyOf = ({ origin }: Isolation) => (origin.kind === "policy" ? origin.policy : origin);
  return found.filter((entry, i) => found.findIndex((other) => policyOf(other) === policyOf(entry)) === i);
}

export function ruleMatches(
  rule: Rule,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): boolean {
  return (
    isSubject(rule.subject, subject) &&
    portsMatch(rule.ports, situation.flow) &&
    anyPeerMatches(rule, subject, other, situation)
  );
}

/** S1.6: a node reaches its own pods, unless (S7.8) a Cilium ingressDeny item matches it. */
function walkFromOwnNode(
  tiers: readonly Tier[],
  subject: PodEndpoint,
  node: Endpoint,
  situation: Situation,
): Decision {
  for (const tier of tiers)
    for (const rule of tier.rules)
      if (rule.bindsOwnNode && ruleMatches(rule, subject, node, situation))
        return { verdict: "Deny", by: { kind: "rule", tier: tier.name, rule }, conditions: [] };
  return allowedBy({ kind: "own-node" });
}

function decide(
  rule: Rule,
  tier: Tier,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): Decision {
  const by: Decider = { kind: "rule", tier: tier.name, rule };
  if (rule.action !== "Allow") return { verdict: "Deny", by, conditions: [] };
  if (rule.condition?.kind === "authentication" && !authenticates(situation))
    return { verdict: "Deny", by, conditions: [] };
  return { verdict: "Allow", by, conditions: conditionsOf(tier, subject, other, situation) };
}

// S7.7: the input does not contain this.
function authenticates({ unknowns }: Situation): boolean {
  return unknowns.ask({
    key: "authentication",
    text: "whether the two endpoints authenticate to each other",
  });
}

/**
 * S9.3: foreign objects may allow it, deny it, or leave it to the tiers below. They share their facts: which of them
 * decides depends on an order that is not known either.
 */
function decideForeign(
  rule: Rule,
  tier: Tier,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): Decision | "next" {
  if (!foreignDecides(rule, tier, subject, other, situation)) return "next";
  const { unknowns } = situation;
  const { key, text } = foreignFact(rule, tier, subject, other, situation);
  const verdict = unknowns.ask({ key: `${key} allows`, text }) ? "Allow" : "Deny";
  return { verdict, by: { kind: "rule", tier: tier.name, rule }, conditions: [] };
}

export function foreignDecides(
  rule: Rule,
  tier: Tier,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): boolean {
  const { key, text } = foreignFact(rule, tier, subject, other, situation);
  return situation.unknowns.ask({ key: `${key} decides`, text });
}

function foreignFact(
  { origin: { direction } }: Rule,
  tier: Tier,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): Fact {
  const objects = tier.rules.flatMap((each) =>
    each.condition?.kind === "foreign" && ruleMatches(each, subject, other, situation) ? each.condition : [],
  );
  return { key: `foreign ${direction}`, text: describeForeign(objects) };
}

/**
 * S7.7: every conditional rule that matches counts, whichever of the tier's allows was met first. Conditions do not
 * change the verdict, so unknown facts are not explored: a rule that may match counts, one that may waive does not.
 */
function conditionsOf(
  tier: Tier,
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): readonly string[] {
  if (!tier.rules.some((rule) => rule.condition !== undefined)) return [];
  const allowing = (supposed: boolean) => {
    const settled = { ...situation, unknowns: situation.unknowns.supposing(supposed) };
    return tier.rules.filter((rule) => rule.action === "Allow" && ruleMatches(rule, subject, other, settled));
  };
  const surely = allowing(false);
  const isolated = tier.isolation.some((entry) => isSubject(entry.subject, subject));
  const texts = allowing(true).flatMap((rule): string[] => {
    if (rule.condition?.kind === "always") return [`conditional on ${rule.condition.what}`];
    if (rule.condition?.kind !== "l7") return [];
    if (!isolated) return [`${rule.condition.what} rules only observe here: nothing isolates the pod`];
    const settled = { ...situation, unknowns: situation.unknowns.supposing(true) };
    const plain = surely.filter((other) => other.condition === undefined);
    return isWaived(rule, plain, subject, other, settled)
      ? []
      : [`conditional on L7 (${rule.condition.what})`];
  });
  return [...new Set(texts)];
}

/** Whether another rule allows each of its matching peers and ports, without a condition; a broader rule does not count. */
function isWaived(
  conditional: Rule,
  plain: readonly Rule[],
  subject: PodEndpoint,
  other: Endpoint,
  situation: Situation,
): boolean {
  const matching = (rule: Rule) => ({
    peers: rule.peers.filter((peer) => peerMatches(peer, subject, other, situation)).map(canonical),
    ports:
      rule.ports === "every"
        ? ["every"]
        : rule.ports.filter((port) => portMatches(port, situation.flow)).map(canonical),
  });
  const wanted = matching(conditional);
  const allowed = plain.map(matching);
  return wanted.peers.every((peer) =>
    wanted.ports.every((port) =>
      allowed.some(({ peers, ports }) => peers.includes(peer) && ports.includes(port)),
    ),
  );
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? item.toString() : item));

const allowedBy = (by: Decider): Decision => ({ verdict: "Allow", by, conditions: [] });
