import type { Cluster } from "../cluster/model.js";
import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { isSubject } from "../evaluate/match.js";
import { isSatisfiable } from "../labels/satisfiable.js";
import type { PlacedRule } from "../policy/assemble.js";
import { formatPolicy, type PodSelection, type PolicyRef } from "../policy/model.js";

/** S1.13: policies of one tier with one precedence that select the same pods. */
export function samePriorities(cluster: Cluster, rules: readonly PlacedRule[]): readonly Diagnostic[] {
  const groups = new Map<string, Map<PolicyRef, PlacedRule>>();
  for (const rule of rules) {
    const { policy } = rule.rule.origin;
    const ordered = rule.tier === "admin" || rule.tier === "baseline";
    if (!ordered || policy.kind === "BaselineAdminNetworkPolicy") continue;
    const key = `${rule.tier} ${rule.precedence}`;
    const group = groups.get(key) ?? new Map<PolicyRef, PlacedRule>();
    if (!group.has(policy)) group.set(policy, rule);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap((group) => {
    const members = [...group.values()];
    return members.flatMap((a, i) => members.slice(i + 1).flatMap((b) => reportPair(cluster, a, b)));
  });
}

function reportPair(cluster: Cluster, a: PlacedRule, b: PlacedRule): readonly Diagnostic[] {
  const shared = sharedSubject(cluster, a.rule.subject, b.rule.subject);
  if (shared === undefined) return [];
  const [x, y] = [a.rule.origin.policy, b.rule.origin.policy];
  const sameApi = x.dialect === y.dialect;
  const names = [x, y].map(formatPolicy).toSorted().join(" and ");
  const level = sameApi ? "the same priority" : "the same precedence";
  const order = sameApi ? "the order of their names" : "the order of their APIs";
  const place = y.place();
  return [
    diagnostic(
      "TW2003",
      `${names} have ${level}, and both select ${shared}; they are evaluated in ${order}`,
      {
        ...(place === undefined ? {} : { place }),
        object: formatPolicy(y),
        hint: "Other implementations may choose another order: give them different priorities.",
      },
    ),
  ];
}

/** A pod that both select; without any pods in the input, whether there could be one. */
function sharedSubject(cluster: Cluster, a: PodSelection, b: PodSelection): string | undefined {
  for (const pod of cluster.pods.values()) {
    const namespace = cluster.namespaces.get(pod.namespace);
    if (pod.hostNetwork || namespace === undefined) continue;
    const endpoint = { kind: "pod", pod, namespace } as const;
    if (isSubject(a, endpoint) && isSubject(b, endpoint)) return `${pod.namespace}/${pod.name}`;
  }
  const possible = isSatisfiable([...a.namespaces, ...b.namespaces]) && isSatisfiable([...a.pods, ...b.pods]);
  return cluster.pods.size === 0 && possible ? "pods that could be there" : undefined;
}
