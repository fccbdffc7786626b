import type { JsonObject } from "@tierwall/core/manifest";
import { type BundleName, definitionsOf } from "../crds/bundles.js";
import { allKinds } from "../cluster/foreign-kinds.js";
import { type WatchedKind, watchedKinds } from "../cluster/kinds.js";
import { usualSecret } from "../webhook/configuration.js";
import { fullName, here } from "./marked.js";
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

const following = ["list", "watch"] as const;
const reading = ["get", ...following] as const;
const managing = [...reading, "create", "update", "patch", "delete", "deletecollection"] as const;

/** The kinds that come with a bundle, by group. */
function kindsOf(bundle: BundleName): ReadonlyMap<string, readonly string[]> {
  const kinds = new Map<string, readonly string[]>();
  for (const { spec } of definitionsOf(bundle))
    kinds.set(spec.group, [...(kinds.get(spec.group) ?? []), spec.names.plural]);
  return kinds;
}

const rulesFor = (kinds: ReadonlyMap<string, readonly string[]>, verbs: readonly string[]): Rule[] =>
  Array.from(kinds, ([group, resources]) => ({ apiGroups: [group], resources, verbs }));

/** Objects are followed, never asked for by name. */
function followingAll(kinds: readonly WatchedKind[]): readonly Rule[] {
  const groups = new Map<string, readonly string[]>();
  for (const { group, plural } of kinds) groups.set(group, [...(groups.get(group) ?? []), plural]);
  return rulesFor(groups, following);
}

/** Which APIs the cluster serves, and in which versions. Most clusters allow that to everyone (`system:discovery`). */
const discovering: Rule = { nonResourceURLs: ["/apis", "/apis/*"], verbs: ["get"] };

/** Of the kinds whose status has conditions. */
function writingStatus(): readonly Rule[] {
  return (["released", "first-draft"] as const).flatMap((bundle) =>
    Array.from(kindsOf(bundle), ([group, resources]) => ({
      apiGroups: [group],
      resources: resources.map((plural) => `${plural}/status`),
      verbs: ["patch"],
    })),
  );
}

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
  resourceNames: [
    ...new Set(
      (["released", "first-draft"] as const).flatMap((bundle) =>
        definitionsOf(bundle).map(({ metadata }) => metadata.name),
      ),
    ),
  ],
  verbs: ["get"],
};

const clusterRole = (name: string, rules: readonly Rule[], labels?: Record<string, string>): JsonObject => ({
  apiVersion: rbac,
  kind: "ClusterRole",
  metadata: clusterWide(name, labels),
  rules,
});

function bound(component: Component): readonly JsonObject[] {
  const subjects = [{ kind: "ServiceAccount", name: nameOf(component), namespace: here }];
  const roleRef = (kind: string) => ({
    apiGroup: "rbac.authorization.k8s.io",
    kind,
    name: nameOf(component),
  });
  return [
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: clusterWide(nameOf(component)),
      roleRef: roleRef("ClusterRole"),
      subjects,
    },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: inNamespace(component),
      roleRef: roleRef("Role"),
      subjects,
    },
  ];
}

const role = (component: Component, rules: readonly Rule[]): JsonObject => ({
  apiVersion: rbac,
  kind: "Role",
  metadata: inNamespace(component),
  rules,
});

export const webhookConfigurationName = fullName;

const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] } as const;

/** Whose token a client shows, and what that account may do: asked about clients of metrics, and about who applies a policy. */
const askingAboutAccounts: readonly Rule[] = [
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
];

/** It reads what policies speak of, and writes nothing but what it finds out. */
export const controllerRoles: readonly JsonObject[] = [
  clusterRole(nameOf("controller"), [
    ...followingAll(allKinds),
    ...calicoTiers,
    discovering,
    ...writingStatus(),
    readingDefinitions,
    ...askingAboutAccounts,
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
    {
      apiGroups: ["admissionregistration.k8s.io"],
      resources: ["validatingwebhookconfigurations"],
      resourceNames: [webhookConfigurationName],
      verbs: ["get", "patch"],
    },
  ]),
  role("controller", [
    { ...leases, verbs: [...reading, "create", "update"] },
    // Nobody can be let create a thing of a certain name only.
    { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
    {
      apiGroups: [""],
      resources: ["secrets"],
      resourceNames: [usualSecret],
      verbs: ["get", "update"],
    },
  ]),
  ...bound("controller"),
];

/** It reads, and tells in a Lease of its own what it has programmed. */
export const agentRoles: readonly JsonObject[] = [
  clusterRole(nameOf("agent"), [
    ...followingAll(watchedKinds),
    discovering,
    ...askingAboutAccounts,
    // Its Lease goes with its Node, whose uid it has to know.
    { apiGroups: [""], resources: ["nodes"], verbs: ["get"] },
  ]),
  // What server-side apply asks for. That each writes its own, own-leases.ts says.
  role("agent", [{ ...leases, verbs: ["create", "patch"] }]),
  ...bound("agent"),
];

/** It stops the agents, and sees whether what cleans up after them is ready on every node. */
export const cleanupRoles: readonly JsonObject[] = [
  clusterRole(nameOf("cleanup"), [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }]),
  role("cleanup", [
    {
      apiGroups: ["apps"],
      resources: ["daemonsets"],
      resourceNames: [nameOf("agent"), nameOf("cleanup")],
      verbs: ["get", "delete"],
    },
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
  ]),
  ...bound("cleanup"),
];

const aggregatedTo = (...roles: readonly string[]): Record<string, string> =>
  Object.fromEntries(roles.map((name) => [`rbac.authorization.k8s.io/aggregate-to-${name}`, "true"]));

export const metricsReaderName = called("metrics-reader");

/**
 * Who may do what with policies of the whole cluster. KEP-2091 gives them to cluster administrators, who may do everything anyway;
 * the role is for those who are to manage policies and nothing else. Developers may read what decides about their traffic.
 */
export const peoplesRoles: readonly JsonObject[] = [
  // For the account of Prometheus.
  clusterRole(metricsReaderName, [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]),
  clusterRole(called("policy-admin"), rulesFor(kindsOf("released"), managing)),
  clusterRole(
    called("policy-view"),
    rulesFor(kindsOf("released"), reading),
    aggregatedTo("view", "edit", "admin"),
  ),
];

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
