import { type PlacedRule, ranks } from "../../policy/assemble.js";
import { type Direction, directions, type PodSelection, type Tier } from "../../policy/model.js";
import type { PolicyDefinition, State } from "../../state/state.js";
import {
  type Draft,
  type DraftRule,
  type DraftRules,
  draftsOf,
  isEmptyDraft,
  mapRules,
  type NamespacedDraft,
} from "./draft.js";
import type { Findings } from "./findings.js";
import { inEachNamespace, isolatedPart, itIsolates } from "./isolation.js";

/*
 * A clusterwide Cilium policy is in tier network-policy (S7.1).
 *
 *   denies                           beat every allow of the tier: the end of tier admin
 *   allows of one that isolates      a NetworkPolicy in all but name
 *   allows of one that does not      the end of tier admin, behind the denies; but where rules of that tier pass, which would
 *                                    skip them: NetworkPolicies for pods that are isolated anyway, and tier baseline for others
 *
 * The proof shows whether another rule still comes in between.
 */
interface CiliumDrafts {
  readonly deny: readonly Draft[];
  readonly allow: readonly Draft[];
  readonly baseline: readonly Draft[];
  readonly namespaced: readonly NamespacedDraft[];
}

export function ciliumDrafts(definition: PolicyDefinition, state: State, findings: Findings): CiliumDrafts {
  const { lowered } = definition;
  for (const placed of lowered.rules) refuseConditions(placed, findings);
  const subjects = new Set(
    [...lowered.rules.map(({ rule }) => rule), ...lowered.isolation].map((part) => part.subject),
  );
  const parts = [...subjects].map((subject, i) => {
    if (subject.account !== undefined)
      findings.refusePolicy(
        definition.policy,
        "this policy selects its subject by service account, which no other API can",
      );
    return draftsFor(definition, subject, subjects.size > 1 ? [String(i + 1)] : [], state, findings);
  });
  return {
    deny: parts.flatMap(({ deny }) => deny),
    allow: parts.flatMap(({ allow }) => allow),
    baseline: parts.flatMap(({ baseline }) => baseline),
    namespaced: parts.flatMap(({ namespaced }) => namespaced),
  };
}

/** What a policy says about one of its subjects. */
function draftsFor(
  definition: PolicyDefinition,
  subject: PodSelection,
  suffixes: readonly string[],
  { cluster, tiers }: State,
  findings: Findings,
): CiliumDrafts {
  const ofRank = (isMeant: (rank: number) => boolean, named: readonly string[]) =>
    draftsOf(definition, ({ rule, rank }) => rule.subject === subject && isMeant(rank), named);
  const deny = ofRank((rank) => rank === ranks.networkPolicy.deny, suffixes);
  const ofAllows = deny.length > 0 ? [...suffixes, "allow"] : suffixes;
  const allows = ofRank((rank) => rank !== ranks.networkPolicy.deny, ofAllows);

  const { isolation } = definition.lowered;
  const isolated = directions.filter((direction) =>
    isolation.some((entry) => entry.subject === subject && entry.direction === direction),
  );
  const isolates = ({ origin }: DraftRule) => isolated.includes(origin.direction);
  /** Whether tier admin will have rules that pass. */
  const isSkipped = ({ origin }: DraftRule) =>
    tiers[origin.direction].some(
      ({ name, rules }) =>
        (name === "admin" || name === "guardrail") && rules.some((rule) => rule.action === "Pass"),
    );
  const changed = (change: (rule: DraftRule) => readonly DraftRule[]) =>
    allows
      .map((draft) => ({ ...draft, rules: mapRules(draft.rules, change) }))
      .filter((draft) => !isEmptyDraft(draft));
  const named = changed((rule) => (isolates(rule) ? namesOnly(rule, true) : []));
  const plain = changed((rule) => (isolates(rule) || isSkipped(rule) ? [] : [rule]));
  const skipped = changed((rule) => (!isolates(rule) && isSkipped(rule) ? [rule] : []));

  const ofDirection = (direction: Direction) =>
    allows.flatMap((draft) => draft.rules[direction].flatMap((rule) => namesOnly(rule, false)));
  const rules: Partial<DraftRules> = Object.fromEntries(
    isolated.map((direction) => [direction, ofDirection(direction)]),
  );
  const isolating =
    isolated.length === 0
      ? []
      : inEachNamespace({ definition, subject, suffixes, rules, why: itIsolates }, cluster, findings);
  const forIsolated = skipped.flatMap((draft) =>
    directions
      .filter((direction) => draft.rules[direction].length > 0)
      .flatMap((direction) =>
        inEachNamespace(
          { ...draft, rules: { [direction]: draft.rules[direction] }, why: isPassed },
          cluster,
          findings,
          (namespace) => isolatedPart(namespace, subject.pods, isolatingTiers(tiers[direction], direction)),
        ),
      ),
  );
  return {
    deny,
    allow: [...named, ...plain],
    baseline: skipped,
    namespaced: [...isolating, ...forIsolated],
  };
}

const isPassed = "rules of tier admin pass, and would skip it there";

/** Those that isolate with NetworkPolicies in the end: default policies do so for ingress. */
const isolatingTiers = (tiers: readonly Tier[], direction: Direction): readonly Tier[] =>
  tiers.filter(
    ({ name }) => name === "network-policy" || (name === "cluster-default" && direction === "ingress"),
  );

/** NetworkPolicies know no names; as such rules only allow, they can stand elsewhere. */
function namesOnly(rule: DraftRule, wanted: boolean): readonly DraftRule[] {
  const peers = rule.peers.filter(({ what }) => (what.kind === "domains") === wanted);
  return peers.length > 0 ? [{ ...rule, peers }] : [];
}

// S7.7
function refuseConditions({ rule, rank }: PlacedRule, findings: Findings): void {
  if (rule.condition?.kind === "authentication" || rank === ranks.networkPolicy.failingAuthentication)
    findings.refuseRule(rule.origin, "asks for authentication, which no other API can");
  else if (rule.condition?.kind === "l7" || rule.condition?.kind === "always")
    findings.refuseRule(rule.origin, `inspects requests (${rule.condition.what}), which no other API can`);
}
