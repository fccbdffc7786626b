import type { JsonObject } from "@tierwall/core/manifest";
import { type BundleName, definitionsOf } from "../crds/bundles.js";
import { controllerKinds } from "../cluster/foreign-kinds.js";
import { type WatchedKind, watchedKinds } from "../cluster/kinds.js";
import { certificateSecret } from "../webhook/configuration.js";
import { fullName, here, valueOf } from "./marked.js";
import { called, clusterWide, type Component, inNamespace, nameOf } from "./names.js";

const rbac = "rbac.authorization.k8s.io/v1";

type Rule =
  | {
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
      readonly resourceNames?: readonly string[];
    }
  | { readonly nonResourceURLs: readonly string[]; readonly verbs: readonly string[] };

/** Objects are followed, never asked for by name. */
const following = ["list", "watch"] as const;
const reading = ["get", ...following] as const;
const managing = [...reading, "create", "update", "patch", "delete", "deletecollection"] as const;

/** One for each group. */
function rulesFor(
  kinds: readonly Pick<WatchedKind, "group" | "plural">[],
  verbs: readonly string[],
  subresource = "",
): readonly Rule[] {
  return [...new Set(kinds.map(({ group }) => group))].map((group) => ({
    apiGroups: [group],
    resources: kinds.filter((one) => one.group === group).map(({ plural }) => `${plural}${subresource}`),
    verbs,
  }));
}

/** The kinds of a bundle. */
const kindsOf = (bundle: BundleName) =>
  definitionsOf(bundle).map(({ spec }) => ({ group: spec.group, plural: spec.names.plural }));

/** Which APIs the cluster serves, and in which versions. Most clusters allow that to everyone (`system:discovery`). */
const discovering: Rule = { nonResourceURLs: ["/apis", "/apis/*"], verbs: ["get"] };

/** Whose status has conditions. */
const conditioned = ["released", "guarantees", "first-draft"] as const;

/** What cluster administrators write. */
const administered = [...kindsOf("released"), ...kindsOf("guarantees")];

/** Calico's API server asks for these as well before it lists policies: the right to see tiers, and to see what is in them. */
const calicoTiers: readonly Rule[] = [
  { apiGroups: ["projectcalico.org"], resources: ["tiers"], verbs: ["get"] },
  {
    apiGroups: ["projectcalico.org"],
    resources: ["tier.networkpolicies", "tier.globalnetworkpolicies"],
    verbs: following,
  },
];

/** Which version of a kind is stored, and so written. */
const readingDefinitions: Rule = {
  apiGroups: ["apiextensions.k8s.io"],
  resources: ["customresourcedefinitions"],
  resourceNames: [...new Set(conditioned.flatMap(definitionsOf).map(({ metadata }) => metadata.name))],
  verbs: ["get"],
};

const clusterRole = (name: string, rules: readonly Rule[], labels?: Record<string, string>): JsonObject => ({
  apiVersion: rbac,
  kind: "ClusterRole",
  metadata: clusterWide(name, labels),
  rules,
});

/** A ServiceAccount, and what it may do in the whole cluster and in its own namespace. */
function accountWith(
  component: Component,
  cluster: readonly Rule[],
  own: readonly Rule[],
): readonly JsonObject[] {
  const name = nameOf(component);
  const subjects = [{ kind: "ServiceAccount", name, namespace: here }];
  const binding = (metadata: JsonObject, kind: string): JsonObject => ({
    apiVersion: rbac,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
    subjects,
  });
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: inNamespace(component) },
    clusterRole(name, cluster),
    { apiVersion: rbac, kind: "Role", metadata: inNamespace(component), rules: own },
    binding(clusterWide(name), "ClusterRole"),
    binding(inNamespace(component), "Role"),
  ];
}

export const webhookConfigurationName = fullName;

const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] } as const;

/** The account of a token, and what it may do: for clients of metrics, and for users who apply a policy. */
const askingAboutAccounts: readonly Rule[] = [
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
];

/** It reads what policies mention, and writes nothing but what it finds out. */
export const controllerAccount = accountWith(
  "controller",
  [
    ...rulesFor(controllerKinds, following),
    ...calicoTiers,
    discovering,
    ...conditioned.flatMap((bundle) => rulesFor(kindsOf(bundle), ["patch"], "/status")),
    readingDefinitions,
    ...askingAboutAccounts,
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
    {
      apiGroups: ["admissionregistration.k8s.io"],
      resources: ["validatingwebhookconfigurations"],
      resourceNames: [webhookConfigurationName],
      verbs: ["get", "patch"],
    },
  ],
  [
    { ...leases, verbs: [...reading, "create", "update"] },
    // RBAC cannot restrict `create` to one name.
    { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
    {
      apiGroups: [""],
      resources: ["secrets"],
      resourceNames: [certificateSecret],
      verbs: ["get", "update"],
    },
  ],
);

/** It reads, and reports in a Lease of its own what it has programmed. */
export const agentAccount = accountWith(
  "agent",
  [
    ...rulesFor(watchedKinds, following),
    discovering,
    ...askingAboutAccounts,
    // Its Lease is owned by its Node, whose uid it needs.
    { apiGroups: [""], resources: ["nodes"], verbs: ["get"] },
  ],
  // What server-side apply needs. own-leases.ts restricts each agent to its own Lease.
  [{ ...leases, verbs: ["create", "patch"] }],
);

/** It stops the agents, and sees whether what cleans up after them is ready on every node. */
export const cleanupAccount = accountWith(
  "cleanup",
  [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }],
  [
    {
      apiGroups: ["apps"],
      resources: ["daemonsets"],
      resourceNames: [nameOf("agent"), nameOf("cleanup")],
      verbs: ["get", "delete"],
    },
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
  ],
);

const aggregatedTo = (...roles: readonly string[]): Record<string, string> =>
  Object.fromEntries(roles.map((name) => [`rbac.authorization.k8s.io/aggregate-to-${name}`, "true"]));

const metricsReaderName = called("metrics-reader");

/**
 * Roles for policies of the whole cluster. KEP-2091 gives them to cluster administrators, who may do everything anyway;
 * the role is for accounts that manage policies and nothing else. Developers may read what decides about their traffic.
 */
export const peoplesRoles: readonly JsonObject[] = [
  // For the account of Prometheus.
  clusterRole(metricsReaderName, [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]),
  clusterRole(called("policy-admin"), rulesFor(administered, managing)),
  clusterRole(called("policy-view"), rulesFor(administered, reading), aggregatedTo("view", "edit", "admin")),
];

/** The accounts that settings name. */
export const metricsReaders: JsonObject = {
  apiVersion: rbac,
  kind: "ClusterRoleBinding",
  metadata: clusterWide(called("metrics-readers")),
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metricsReaderName },
  subjects: valueOf("monitoring.readers"),
};

export const firstDraftRoles: readonly JsonObject[] = [
  clusterRole(called("first-draft-admin"), rulesFor(kindsOf("first-draft"), managing)),
  clusterRole(
    called("first-draft-view"),
    rulesFor(kindsOf("first-draft"), reading),
    aggregatedTo("view", "edit", "admin"),
  ),
];

/** The first draft lets namespace editors manage its policies. */
export const firstDraftEditors: JsonObject = clusterRole(
  called("first-draft-edit"),
  rulesFor(kindsOf("first-draft"), managing),
  aggregatedTo("edit", "admin"),
);
