import { type PlacedRule, ranks } from "../../policy/assemble.js";
import type { Direction, PodSelection, Tier } from "../../policy/model.js";
import type { PolicyDefinition, State } from "../../state/state.js";
import {
  type Draft,
  type DraftRule,
  type DraftRules,
  directions,
  draftsOf,
  isEmptyDraft,
  mapRules,
  type NamespacedDraft,
} from "./draft.js";
import type { Findings } from "./findings.js";
import { inEachNamespace, isolatedIn, itIsolates } from "./isolation.js";

/*
 * A clusterwide Cilium policy stands in tier network-policy (S7.1).
 *
 *   denies                           beat every allow of the tier: the end of tier admin
 *   allows of one that isolates      a NetworkPolicy in all but name
 *   allows of one that does not      the end of tier admin, behind the denies; but where rules of that tier pass, which would
 *                                    skip them: NetworkPolicies for pods that are isolated anyway, and tier baseline for others
 *
 * Whether something still gets between, the proof tells.
 */
export interface CiliumDrafts {
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
    return new SubjectPart(
      definition,
      subject,
      subjects.size > 1 ? [String(i + 1)] : [],
      state,
      findings,
    ).drafts();
  });
  return {
    deny: parts.flatMap(({ deny }) => deny),
    allow: parts.flatMap(({ allow }) => allow),
    baseline: parts.flatMap(({ baseline }) => baseline),
    namespaced: parts.flatMap(({ namespaced }) => namespaced),
  };
}

/** What a policy says about one of its subjects. */
class SubjectPart {
  constructor(
    private readonly definition: PolicyDefinition,
    private readonly subject: PodSelection,
    private readonly suffixes: readonly string[],
    private readonly state: State,
    private readonly findings: Findings,
  ) {}

  drafts(): CiliumDrafts {
    const deny = this.draftsOf((rank) => rank === ranks.networkPolicy.deny, this.suffixes);
    const suffixes = deny.length > 0 ? [...this.suffixes, "allow"] : this.suffixes;
    const allows = this.draftsOf((rank) => rank !== ranks.networkPolicy.deny, suffixes);
    const named = this.filtered(allows, (rule) => this.isolates(rule) && namesOnly(rule, true));
    const skipped = this.filtered(allows, (rule) => !this.isolates(rule) && this.isSkipped(rule) && rule);
    const plain = this.filtered(allows, (rule) => !this.isolates(rule) && !this.isSkipped(rule) && rule);
    return {
      deny,
      allow: [...named, ...plain],
      baseline: skipped,
      namespaced: [...this.isolating(allows), ...skipped.flatMap((draft) => this.forIsolated(draft))],
    };
  }

  private draftsOf(isMeant: (rank: number) => boolean, suffixes: readonly string[]): readonly Draft[] {
    const { definition, subject } = this;
    return draftsOf(definition, ({ rule, rank }) => rule.subject === subject && isMeant(rank), suffixes);
  }

  private filtered(
    drafts: readonly Draft[],
    change: (rule: DraftRule) => DraftRule | false,
  ): readonly Draft[] {
    const changed = (rule: DraftRule) => {
      const kept = change(rule);
      return kept === false ? [] : [kept];
    };
    return drafts
      .map((draft) => ({ ...draft, rules: mapRules(draft.rules, changed) }))
      .filter((draft) => !isEmptyDraft(draft));
  }

  private isolates({ origin }: Pick<DraftRule, "origin">): boolean {
    return this.isolatedDirections().includes(origin.direction);
  }

  private isolatedDirections(): readonly Direction[] {
    const { isolation } = this.definition.lowered;
    return directions.filter((direction) =>
      isolation.some((entry) => entry.subject === this.subject && entry.direction === direction),
    );
  }

  /** Whether tier admin will have rules that pass. */
  private isSkipped({ origin }: DraftRule): boolean {
    const tiers = this.state.tiers[origin.direction];
    return tiers.some(
      ({ name, rules }) =>
        (name === "admin" || name === "guardrail") && rules.some((rule) => rule.action === "Pass"),
    );
  }

  private isolating(allows: readonly Draft[]): readonly NamespacedDraft[] {
    const { definition, subject, suffixes, state, findings } = this;
    const isolated = this.isolatedDirections();
    if (isolated.length === 0) return [];
    const rules: Partial<DraftRules> = Object.fromEntries(
      isolated.map((direction) => [
        direction,
        allows.flatMap((draft) => draft.rules[direction].flatMap((rule) => namesOnly(rule, false) || [])),
      ]),
    );
    return inEachNamespace(
      { definition, subject, suffixes, rules, why: itIsolates },
      state.cluster,
      findings,
    );
  }

  /** Those that isolate with NetworkPolicies in the end: default policies do so for ingress. */
  private isolatingTiers(direction: Direction): readonly Tier[] {
    return this.state.tiers[direction].filter(
      ({ name }) => name === "network-policy" || (name === "cluster-default" && direction === "ingress"),
    );
  }

  private forIsolated({ definition, subject, suffixes, rules }: Draft): readonly NamespacedDraft[] {
    const { state, findings } = this;
    const why = "rules of tier admin pass, and would skip it there";
    return directions
      .filter((direction) => rules[direction].length > 0)
      .flatMap((direction) =>
        inEachNamespace(
          { definition, subject, suffixes, rules: { [direction]: rules[direction] }, why },
          state.cluster,
          findings,
          (namespace) => isolatedIn(namespace, subject.pods, this.isolatingTiers(direction)),
        ),
      );
  }
}

/** NetworkPolicies know no names; as such rules only allow, they can stand elsewhere. */
function namesOnly(rule: DraftRule, wanted: boolean): DraftRule | false {
  const peers = rule.peers.filter(({ what }) => (what.kind === "domains") === wanted);
  return peers.length > 0 && { ...rule, peers };
}

// S7.7
function refuseConditions({ rule, rank }: PlacedRule, findings: Findings): void {
  if (rule.condition?.kind === "authentication" || rank === ranks.networkPolicy.failingAuthentication)
    findings.refuseRule(rule.origin, "asks for authentication, which no other API can");
  else if (rule.condition?.kind === "l7" || rule.condition?.kind === "always")
    findings.refuseRule(rule.origin, `looks into requests (${rule.condition.what}), which no other API can`);
}
