import { getOrInsert, grouped } from "../../collections/maps.js";
import type { LowerOptions } from "../../dialects/dialect.js";
import { isObject, type JsonObject } from "../../manifest/document.js";
import { selects } from "../../labels/requirement.js";
import type { Cluster } from "../../cluster/model.js";
import { comparePolicies, type PlacedIsolation } from "../../policy/assemble.js";
import { formatPolicy, type PolicyRef } from "../../policy/model.js";
import { formatPath } from "../../diagnostics/place.js";
import type { PolicyDefinition, State } from "../../state/state.js";
import { type Draft, type DraftList, isolationKey, ruleCount, type Step, withLists } from "./draft.js";
import { contentKey, shapeOf, withValueAt } from "./shape.js";

/**
 * Policies that apply to the same pods in the same way, as one. Where the order of policies matters, these have to come one after the other.
 */
export function mergedPolicies(
  drafts: readonly Draft[],
  definitions: readonly PolicyDefinition[],
  options: LowerOptions,
): readonly Draft[] {
  const orderOf = neighbours(definitions);
  const inOrder = drafts.toSorted((a, b) => comparePolicies(a.definition.policy, b.definition.policy));
  const result: Draft[] = [];
  for (const group of grouped(inOrder, keyOf).values()) {
    const isOrdered = shapeOf(group[0].definition.policy.dialect).exchange === "in runs";
    let last: { into: Draft; place: number | undefined } | undefined;
    for (const draft of group) {
      const place = orderOf.get(draft.definition.policy);
      const isNext = !isOrdered || (place !== undefined && last?.place === place - 1);
      const merged = last !== undefined && isNext ? withPolicy(last.into, draft, options) : undefined;
      if (merged !== undefined) result.pop();
      last = { into: merged ?? draft, place };
      result.push(last.into);
    }
  }
  return result;
}

/** Equal for policies that differ in their names and rules only. */
function keyOf({ definition, lists }: Draft): string {
  const { apiVersion, kind, value } = definition.object;
  const { metadata, ...rest } = value;
  const { name: _, ...labels } = isObject(metadata) ? metadata : {};
  let spec: JsonObject = rest;
  for (const path of shapeOf(definition.policy.dialect).lists(value))
    spec = withValueAt(spec, path, undefined) as JsonObject;
  // S2.1: what `policyTypes` means is part of the isolation.
  if (definition.policy.dialect === "network-policy")
    spec = withValueAt(spec, ["spec", "policyTypes"], undefined) as JsonObject;
  // A policy with several specs, or without rules, stays as it is.
  const alone = "specs" in value || lists.length === 0 ? formatPolicy(definition.policy) : "";
  return contentKey([apiVersion, kind, labels, spec, isolationKey(definition), alone]);
}

/** The place of each policy among those of its tier and precedence (S1.12). */
function neighbours(definitions: readonly PolicyDefinition[]): ReadonlyMap<PolicyRef, number> {
  const placed = definitions.flatMap(({ policy, lowered }) => {
    const [first] = lowered.rules;
    return first === undefined ? [] : [{ policy, key: `${first.tier} ${first.precedence}` }];
  });
  const groups = [...grouped(placed, ({ key }) => key).values()];
  return new Map(
    groups.flatMap((group) =>
      group
        .map(({ policy }) => policy)
        .toSorted(comparePolicies)
        .map((policy, i) => [policy, i] as const),
    ),
  );
}

/** The rules of the second after those of the first, under its name. */
function withPolicy(first: Draft, second: Draft, options: LowerOptions): Draft | undefined {
  const paths = new Map([...first.lists, ...second.lists].map(({ path }) => [formatPath(path), path]));
  const rulesIn = ({ lists }: Draft, key: string) =>
    lists.find(({ path }) => formatPath(path) === key)?.rules ?? [];
  const lists = [...paths].map(
    ([key, path]): DraftList => ({ path, rules: [...rulesIn(first, key), ...rulesIn(second, key)] }),
  );
  const step: Step = {
    kind: "merge-policies",
    policy: first.origins[0].policy,
    merged: second.origins.map(({ policy }) => formatPolicy(policy)),
    why: "they apply to the same pods in the same way",
  };
  const merged = withLists(first, lists, [...second.steps, step], options);
  return merged && { ...merged, origins: [...first.origins, ...second.origins] };
}

/** Policies without rules that isolate no pods, or only such as another policy isolates. */
export function idlePolicies(
  drafts: readonly Draft[],
  { cluster, definitions }: State,
  { isEnforced, unused }: { readonly isEnforced: (policy: PolicyRef) => boolean; readonly unused: boolean },
): ReadonlyMap<Draft, Step> {
  const steps = new Map<Draft, Step>();
  const kept = new Set(definitions.filter(({ policy }) => isEnforced(policy)));
  for (const draft of drafts) {
    const { definition, origins } = draft;
    if (ruleCount(draft) > 0 || definition.lowered.rules.length > 0) continue;
    kept.delete(definition);
    const isolations = definition.lowered.isolation.filter((own) => !unused || selectsPods(own, cluster));
    const covering = isolations.map((own) => [...kept].find((other) => isolates(other, own)));
    if (covering.includes(undefined)) {
      kept.add(definition);
      continue;
    }
    const names = [...new Set(covering.map((one) => formatPolicy(one!.policy)))];
    const why =
      names.length === 0
        ? "it has no rules and isolates no pods"
        : `it has no rules, and ${names.join(" and ")} ${names.length === 1 ? "isolates" : "isolate"} its pods`;
    steps.set(draft, { kind: "remove-policy", policy: origins[0].policy, why });
  }
  return steps;
}

const isolates = ({ lowered }: PolicyDefinition, own: PlacedIsolation): boolean =>
  lowered.isolation.some(
    (other) => other.tier === own.tier && other.direction === own.direction && covers(other, own),
  );

function selectsPods({ subject }: PlacedIsolation, { pods, namespaces }: Cluster): boolean {
  return [...pods.values()].some(
    (pod) =>
      selects(subject.namespaces, namespaces.get(pod.namespace)?.labels ?? {}) &&
      selects(subject.pods, pod.labels),
  );
}

/** Whether one selects all pods that the other selects, in every cluster, because it requires nothing more of them. */
function covers(outer: PlacedIsolation, inner: PlacedIsolation): boolean {
  const required = requirementsOf(inner);
  return [...requirementsOf(outer)].every((one) => required.has(one));
}

function requirementsOf(isolation: PlacedIsolation): ReadonlySet<string> {
  return getOrInsert(requirements, isolation, () => {
    const { namespaces, pods, account = [] } = isolation.subject;
    const parts = { namespaces, pods, account };
    return new Set(
      Object.entries(parts).flatMap(([of, match]) => match.map((one) => JSON.stringify([of, one]))),
    );
  });
}

const requirements = new WeakMap<PlacedIsolation, ReadonlySet<string>>();
