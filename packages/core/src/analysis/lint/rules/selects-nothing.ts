import { suggest } from "../../../diagnostics/suggest.js";
import { formatMatch, type LabelMatch, type Labels, selects } from "../../../labels/requirement.js";
import { formatPolicy, type PodSelection, type PolicyRef, type Tiers } from "../../../policy/model.js";
import { grouped } from "../../../collections/maps.js";
import { type Finding, finding } from "../finding.js";
import { type LintContext, type LintRule, rulesInTiers } from "../rule.js";

/** A policy for pods that do not exist: a misspelled label, or a leftover. */
export const selectsNothing: LintRule = {
  code: "TW4001",
  *check(context) {
    const { cluster, tiers } = context.state;
    // Policies are often checked without a cluster: then they are not expected to select anything.
    if (cluster.pods.size === 0) return;
    for (const [policy, subjects] of subjectsByPolicy(tiers))
      if (subjects.every((subject) => context.podsOf(subject).length === 0))
        yield noPod(policy, subjects[0]!, context);
  },
};

/** The subjects of each policy that has any effect; Cilium's may have several. */
function subjectsByPolicy(tiers: Tiers): ReadonlyMap<PolicyRef, readonly PodSelection[]> {
  const ofRules = Array.from(rulesInTiers(tiers), ({ rule }) => [rule.origin.policy, rule.subject] as const);
  const ofIsolation = [...tiers.ingress, ...tiers.egress].flatMap(({ isolation }) =>
    isolation.flatMap(({ origin, subject }) =>
      origin.kind === "policy" ? [[origin.policy, subject] as const] : [],
    ),
  );
  const byPolicy = grouped([...ofRules, ...ofIsolation], ([policy]) => policy);
  return new Map([...byPolicy].map(([policy, its]) => [policy, its.map(([, subject]) => subject)]));
}

function noPod(policy: PolicyRef, subject: PodSelection, context: LintContext): Finding {
  return finding("TW4001", `${formatPolicy(policy)} selects no pod: ${whyNone(subject, context)}`, {
    ...context.aboutSubject(policy),
    hint: "It does nothing until there is one. Correct the labels, or delete the policy.",
  });
}

/** The first part of the selection that nothing satisfies. */
function whyNone({ namespaces, pods, account }: PodSelection, context: LintContext): string {
  const all = [...context.state.cluster.namespaces.values()];
  const candidates = all.filter(({ labels }) => selects(namespaces, labels));
  if (candidates.length === 0)
    return `no namespace has ${formatMatch(namespaces)}${nearMiss(namespaces, all)}`;
  const [only, ...others] = candidates;
  const where = others.length === 0 ? `namespace \`${only!.name}\`` : `${candidates.length} namespaces`;
  const there = context.podsOf({ namespaces, pods: [] }).map(({ pod }) => pod);
  if (there.length === 0) return `${where} ${others.length === 0 ? "has" : "have"} no pods`;
  if (!there.some(({ labels }) => selects(pods, labels)))
    return `no pod in ${where} has ${formatMatch(pods)}${nearMiss(pods, there)}`;
  return `no such pod in ${where} has ${formatMatch(account ?? [])}`;
}

/** A value of the same key that was probably meant. */
function nearMiss(match: LabelMatch, objects: readonly { readonly labels: Labels }[]): string {
  for (const { key, operator, values } of match) {
    if (operator !== "In" && operator !== "Exists") continue;
    const present = objects.flatMap(({ labels }) => (Object.hasOwn(labels, key) ? [labels[key]!] : []));
    const [wanted] = values;
    if (present.length === 0) {
      const meant = suggest(key, [...new Set(objects.flatMap(({ labels }) => Object.keys(labels)))]);
      if (meant !== undefined) return `; did you mean the label \`${meant}\`?`;
    } else if (wanted !== undefined && !present.some((value) => values.includes(value))) {
      const meant = suggest(wanted, [...new Set(present)]);
      if (meant !== undefined) return `; did you mean \`${key}=${meant}\`?`;
    }
  }
  return "";
}
