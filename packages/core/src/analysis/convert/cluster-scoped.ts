import { isObject } from "../../manifest/document.js";
import type { CommentedObject } from "../../manifest/yaml/write-yaml.js";
import { directions, formatPolicy } from "../../policy/model.js";
import type { PolicyDefinition, State } from "../../state/state.js";
import { type AdminApi, adminNetworkPolicyApi } from "./admin-api.js";
import { type Draft, isEmptyDraft, type Made, type NamespacedDraft, type OrderedTier } from "./draft.js";
import { asExpressible } from "./expressible.js";
import type { Findings } from "./findings.js";
import { withinLimits } from "./limits.js";
import { Names } from "./names.js";
import { type Order, orderOf, type Standing } from "./order.js";
import { assignPriorities } from "./priorities.js";
import { singleBaseline } from "./single-baseline.js";
import { writtenNetworkPolicy } from "./written-network-policy.js";
import { writtenPolicy } from "./written-policy.js";

/** Policies of the cluster-wide APIs in one of the two that were released. */
export function toClusterScoped(
  state: State,
  chosen: ReadonlySet<PolicyDefinition>,
  api: AdminApi,
  findings: Findings,
): Made {
  const { effective, silent } = splitByEffect(chosen, findings);
  let replaced = effective;
  let order = expressed(orderOf(state, replaced, findings), state, api, findings);
  if (api === adminNetworkPolicyApi && isThere(order.tiers.baseline)) {
    // There is one BaselineAdminNetworkPolicy: it takes all of the tier, or nothing.
    replaced = withAll(replaced, order.tiers.baseline);
    order = expressed(orderOf(state, replaced, findings), state, api, findings);
  }
  for (const tier of ["admin", "baseline"] as const)
    if (numbered(order, tier) === undefined) {
      replaced = withAll(replaced, order.tiers[tier], dialectOf(api));
      findings.remark(`tier ${tier} has no room between its policies; they get other priorities`);
      order = expressed(orderOf(state, replaced, findings), state, api, findings);
    }
  return {
    objects: written(order, state, replaced, api, findings),
    replaced: [...replaced, ...silent],
  };
}

const dialectOf = (api: AdminApi): string =>
  api === adminNetworkPolicyApi ? "admin-network-policy" : "cluster-network-policy";

/** A policy without rules and isolation means nothing; one for nodes means nothing here, and is left alone. */
function splitByEffect(chosen: ReadonlySet<PolicyDefinition>, findings: Findings) {
  const effective = new Set<PolicyDefinition>();
  const silent: PolicyDefinition[] = [];
  for (const definition of chosen) {
    const { lowered, policy } = definition;
    if (lowered.rules.length + lowered.isolation.length > 0) effective.add(definition);
    else if (hasWrittenRules(definition))
      findings.refusePolicy(policy, "this policy is not understood, and not enforced here");
    else if (policy.dialect === "cilium")
      findings.remark("it does not apply to pods, and is not changed", formatPolicy(policy));
    else {
      findings.remark("it has no rules; nothing is written for it", formatPolicy(policy));
      silent.push(definition);
    }
  }
  return { effective, silent };
}

/** S3.6: rules that mean nothing to us may mean something to others. */
function hasWrittenRules({ object, policy }: PolicyDefinition): boolean {
  const { spec } = object.value;
  if (!isObject(spec) || policy.dialect === "cilium") return false;
  return directions.some((direction) => {
    const rules = spec[direction];
    return Array.isArray(rules) && rules.length > 0;
  });
}

const isThere = (standings: readonly Standing[]): boolean => standings.some(({ kind }) => kind === "new");

function withAll(
  chosen: ReadonlySet<PolicyDefinition>,
  standings: readonly Standing[],
  dialect?: string,
): Set<PolicyDefinition> {
  const kept = standings.flatMap((standing) => (standing.kind === "kept" ? [standing.definition] : []));
  return new Set([
    ...chosen,
    ...kept.filter(({ policy }) => dialect === undefined || policy.dialect === dialect),
  ]);
}

/** In words that the API has, and within its limits. */
function expressed(order: Order, state: State, api: AdminApi, findings: Findings): Order {
  const express = (standing: Standing): readonly Standing[] => {
    if (standing.kind === "kept") return [standing];
    const parts = standing.drafts
      .map((draft) => asExpressible(draft, state.cluster, findings))
      .filter((draft) => !isEmptyDraft(draft))
      .map((draft) => withinLimits(draft, api));
    const most = Math.max(0, ...parts.map(({ length }) => length));
    for (const [first] of parts.filter(({ length }) => length > 1))
      findings.remark(
        `more rules than the ${api.limit.rules} that one policy can have; it is split into several policies`,
        formatPolicy(first!.definition.policy),
      );
    return Array.from({ length: most }, (_, i) => ({
      ...standing,
      wanted: standing.wanted + i,
      drafts: parts.flatMap((of) => of[i] ?? []),
    }));
  };
  return {
    ...order,
    tiers: { admin: order.tiers.admin.flatMap(express), baseline: order.tiers.baseline.flatMap(express) },
  };
}

function numbered({ tiers }: Order, tier: OrderedTier): readonly number[] | undefined {
  return assignPriorities(tiers[tier]);
}

function written(
  order: Order,
  state: State,
  replaced: ReadonlySet<PolicyDefinition>,
  api: AdminApi,
  findings: Findings,
): readonly CommentedObject[] {
  const kept = state.definitions
    .filter((definition) => !replaced.has(definition))
    .map(({ policy }) => policy);
  const kindName = api === adminNetworkPolicyApi ? "AdminNetworkPolicy" : "ClusterNetworkPolicy";
  const names = new Names(
    kept.filter(({ group, kind }) => kind === kindName && group === "policy.networking.k8s.io"),
  );
  const inTier = (tier: OrderedTier) => {
    if (api === adminNetworkPolicyApi && tier === "baseline") return writtenBaseline(order, state, findings);
    const priorities = numbered(order, tier);
    if (priorities === undefined) {
      refuseForRoom(order.tiers[tier], tier, findings);
      return [];
    }
    return order.tiers[tier].flatMap((standing, i) =>
      standing.kind === "kept"
        ? []
        : standing.drafts.map((draft) => {
            const priority = priorities[i]!;
            remarkOnPriority(draft, standing.wanted, priority, findings);
            const name = names.nameFor(draft.definition.policy.name, draft.suffixes);
            const fields =
              api === adminNetworkPolicyApi
                ? { priority }
                : { tier: tier === "admin" ? "Admin" : "Baseline", priority };
            return writtenPolicy(draft, { kind: kindName, name, fields }, api);
          }),
    );
  };
  return [...inTier("admin"), ...inTier("baseline"), ...writtenNamespaced(order.namespaced, kept, findings)];
}

function writtenBaseline(order: Order, state: State, findings: Findings): readonly CommentedObject[] {
  const drafts = order.tiers.baseline.flatMap((standing) => (standing.kind === "new" ? standing.drafts : []));
  if (drafts.length === 0) return [];
  const draft = singleBaseline(drafts, state, findings);
  if (draft === undefined) return [];
  const heading = { kind: "BaselineAdminNetworkPolicy", name: "default", fields: {} };
  return [writtenPolicy(draft, heading, adminNetworkPolicyApi)];
}

function writtenNamespaced(
  drafts: readonly NamespacedDraft[],
  kept: readonly PolicyDefinition["policy"][],
  findings: Findings,
): readonly CommentedObject[] {
  const names = new Names(kept.filter(({ kind }) => kind === "NetworkPolicy"));
  return drafts.map((draft) => {
    const { definition, suffixes, namespace } = draft;
    return writtenNetworkPolicy(draft, names.nameFor(definition.policy.name, suffixes, namespace), findings);
  });
}

function refuseForRoom(standings: readonly Standing[], tier: OrderedTier, findings: Findings): void {
  const first = standings.find((standing) => standing.kind === "new")?.drafts[0];
  if (first !== undefined)
    findings.refusePolicy(
      first.definition.policy,
      `there is no room for ${standings.length} policies in tier ${tier}; priorities end at 1000`,
      "Convert the other cluster-wide policies of the tier with it.",
    );
}

/** S1.13: reports a changed priority. Equal priorities become distinct, which may move other policies. */
function remarkOnPriority(draft: Draft, wanted: number, priority: number, findings: Findings): void {
  const { policy } = draft.definition;
  const isOrdered = policy.dialect === "cluster-network-policy" || policy.dialect === "admin-network-policy";
  if (isOrdered && policy.kind !== "BaselineAdminNetworkPolicy" && wanted !== priority)
    findings.remark(
      "another priority, to keep the order",
      `${formatPolicy(policy)} (${priority}, not ${wanted})`,
    );
}
