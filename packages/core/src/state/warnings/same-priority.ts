import { getOrInsert } from "../../collections/maps.js";
import type { Cluster } from "../../cluster/model.js";
import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { isSubject } from "../../evaluate/match.js";
import { isSatisfiable } from "../../labels/satisfiable.js";
import type { PlacedRule } from "../../policy/assemble.js";
import { formatPolicy, type PodSelection, type PolicyRef } from "../../policy/model.js";

/** S1.13: policies of one tier with one precedence that select the same pods. */
export function samePriorities(cluster: Cluster, rules: readonly PlacedRule[]): readonly Diagnostic[] {
  const groups = new Map<string, Map<PolicyRef, PlacedRule>>();
  for (const rule of rules) {
    const { policy } = rule.rule.origin;
    const ordered = rule.tier === "admin" || rule.tier === "baseline";
    if (!ordered || policy.kind === "BaselineAdminNetworkPolicy") continue;
    const key = `${rule.tier} ${rule.precedence}`;
    const group = getOrInsert(groups, key, () => new Map<PolicyRef, PlacedRule>());
    if (!group.has(policy)) group.set(policy, rule);
  }
  return [...groups.values()].flatMap((group) => overlapping(cluster, [...group.values()]));
}

/** Beyond this number of policies on one pod, each is paired only with its neighbour. */
const everyPairUpTo = 10;

/** Pairs of policies with a pod that both select. Costs (policies) × (pods), whatever the number of pairs. */
function overlapping(cluster: Cluster, members: readonly PlacedRule[]): readonly Diagnostic[] {
  if (members.length < 2) return [];
  const found = new Map<PlacedRule, Map<PlacedRule, Diagnostic>>();
  const report = ([a, b]: Pair, shared: string) => {
    const ofA = getOrInsert(found, a, () => new Map<PlacedRule, Diagnostic>());
    if (!ofA.has(b)) ofA.set(b, samePriority(a, b, shared));
  };
  for (const pod of cluster.pods.values()) {
    const namespace = cluster.namespaces.get(pod.namespace);
    if (pod.hostNetwork || namespace === undefined) continue;
    const endpoint = { kind: "pod", pod, namespace } as const;
    const selecting = members.filter(({ rule }) => isSubject(rule.subject, endpoint));
    for (const pair of pairsOf(selecting)) report(pair, `${pod.namespace}/${pod.name}`);
  }
  if (cluster.pods.size === 0)
    for (const pair of pairsOf(members))
      if (couldSelectOnePod(pair[0].rule.subject, pair[1].rule.subject))
        report(pair, "pods that could be there");
  return [...found.values()].flatMap((ofA) => [...ofA.values()]);
}

/** S1.13: an input without pods is tested with the selectors alone. */
export const couldSelectOnePod = (a: PodSelection, b: PodSelection): boolean =>
  isSatisfiable([...a.namespaces, ...b.namespaces]) &&
  isSatisfiable([...a.pods, ...b.pods]) &&
  isSatisfiable([...(a.account ?? []), ...(b.account ?? [])]);

type Pair = readonly [PlacedRule, PlacedRule];

function pairsOf(list: readonly PlacedRule[]): readonly Pair[] {
  const last = (i: number) => (list.length > everyPairUpTo ? i + 2 : list.length);
  return list.flatMap((a, i) => list.slice(i + 1, last(i)).map((b): Pair => [a, b]));
}

function samePriority(a: PlacedRule, b: PlacedRule, shared: string): Diagnostic {
  const [x, y] = [a.rule.origin.policy, b.rule.origin.policy];
  const sameApi = x.dialect === y.dialect;
  const names = [x, y].map(formatPolicy).toSorted().join(" and ");
  const level = sameApi ? "the same priority" : "the same precedence";
  const order = sameApi ? "the order of their names" : "the order of their APIs";
  return diagnostic(
    "TW2003",
    `${names} have ${level}, and both select ${shared}; they are evaluated in ${order}`,
    {
      place: y.place(),
      object: formatPolicy(y),
      hint: "Other implementations may use another order. Give them different priorities.",
    },
  );
}
