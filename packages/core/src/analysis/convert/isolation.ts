import type { Cluster, Namespace } from "../../cluster/model.js";
import { type LabelMatch, type Requirement, selects } from "../../labels/requirement.js";
import { isSatisfiable } from "../../labels/satisfiable.js";
import { formatPolicy, type Isolation, type PodSelection, type Tier } from "../../policy/model.js";
import type { DraftRule, DraftRules, NamespacedDraft } from "./draft.js";
import type { Findings } from "./findings.js";
import { settledPeers } from "./settled-peer.js";
import type { PolicyDefinition } from "../../state/state.js";

/*
 * Isolation is what NetworkPolicies do: cluster-wide APIs have none (S3.9). A policy that isolates becomes one
 * NetworkPolicy in each namespace that it selects now.
 */

/** Rules that only a NetworkPolicy can hold, or only there stand where they should. */
interface Namespaceable {
  readonly definition: PolicyDefinition;
  readonly suffixes: readonly string[];
  readonly subject: PodSelection;
  /** A list, perhaps an empty one, for each direction in which it isolates. */
  readonly rules: Partial<DraftRules>;
  /** Why: "it isolates, …". */
  readonly why: string;
}

export const itIsolates = "it isolates, which cluster-wide APIs cannot";

/** One for each namespace; `podsIn` returns selectors for the pods there, combined with OR. */
export function inEachNamespace(
  { definition, suffixes, subject, rules, why }: Namespaceable,
  cluster: Cluster,
  findings: Findings,
  podsIn: (namespace: Namespace) => readonly LabelMatch[] = () => [subject.pods],
): readonly NamespacedDraft[] {
  const selected = [...cluster.namespaces.values()].filter(({ labels }) =>
    selects(subject.namespaces, labels),
  );
  const drafts = selected.flatMap((namespace) => {
    const selectors = podsIn(namespace);
    return selectors.map(
      (pods, i): NamespacedDraft => ({
        definition,
        suffixes: selectors.length > 1 ? [...suffixes, String(i + 1)] : suffixes,
        namespace: namespace.name,
        pods,
        rules: settledRules(rules, namespace),
      }),
    );
  });
  const count = new Set(drafts.map(({ namespace }) => namespace)).size;
  const where = count === 1 ? "one namespace" : `${count} namespaces`;
  findings.remark(
    count === 0
      ? "there is no pod now that needs a NetworkPolicy for it"
      : `becomes NetworkPolicies in ${where}, one set for each namespace that exists now (${why}). Convert again when namespaces are added or removed.`,
    formatPolicy(definition.policy),
  );
  return drafts;
}

function settledRules(rules: Partial<DraftRules>, namespace: Namespace): Partial<DraftRules> {
  const labels = { namespace: namespace.labels, pod: {} };
  const settle = (rule: DraftRule): readonly DraftRule[] => {
    const peers = settledPeers(rule.peers, labels);
    // No peers would be every peer.
    return peers.length === 0 || rule.ports.length === 0 ? [] : [{ ...rule, peers }];
  };
  return {
    ...(rules.ingress && { ingress: rules.ingress.flatMap(settle) }),
    ...(rules.egress && { egress: rules.egress.flatMap(settle) }),
  };
}

/** More selectors than this are unreadable. */
const mostSelectors = 16;

/** The pods that nothing in these tiers isolates, as selectors of which any may hold; undefined for too many. */
export function notIsolatedIn(
  namespace: Namespace,
  pods: LabelMatch,
  tiers: readonly Tier[],
): readonly LabelMatch[] | undefined {
  let selectors: readonly LabelMatch[] = [pods];
  for (const { subject } of isolationIn(namespace, tiers)) {
    if (subject.account !== undefined) return undefined;
    selectors = selectors
      .flatMap((match) => subject.pods.map((requirement) => [...match, negated(requirement)]))
      .filter(isSatisfiable);
    if (selectors.length > mostSelectors) return undefined;
  }
  return selectors;
}

/** The pods that something in these tiers isolates; an allow for them isolates no other pods. */
export function isolatedPart(
  namespace: Namespace,
  pods: LabelMatch,
  tiers: readonly Tier[],
): readonly LabelMatch[] {
  const selectors = isolationIn(namespace, tiers).map(({ subject }) => [...pods, ...subject.pods]);
  return selectors.some(({ length }) => length === pods.length) ? [pods] : selectors.filter(isSatisfiable);
}

/** Each selection of pods once. */
function isolationIn(namespace: Namespace, tiers: readonly Tier[]): readonly Isolation[] {
  const isolation = tiers.flatMap((tier) => tier.isolation);
  const here = isolation.filter(({ subject }) => selects(subject.namespaces, namespace.labels));
  return [...new Map(here.map((entry) => [JSON.stringify(entry.subject.pods), entry])).values()];
}

const opposites = { In: "NotIn", NotIn: "In", Exists: "DoesNotExist", DoesNotExist: "Exists" } as const;

const negated = (requirement: Requirement): Requirement => ({
  ...requirement,
  operator: opposites[requirement.operator],
});
