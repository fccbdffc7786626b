import { dialects, isObject, type Json, type JsonObject } from "@tierwall/core/manifest";
import { keptClusterObject } from "@tierwall/core/state";

/** A kind of objects that is read from clusters. */
export interface WatchedKind {
  readonly kind: string;
  /** `""` for the core group. */
  readonly group: string;
  /** Those whose schema is known: the first that is served is used, otherwise any other. */
  readonly versions: readonly string[];
  readonly plural: string;
  /** The only one that is looked at; absent: all. */
  readonly namespace?: string;
  /** Its objects live in namespaces. */
  readonly isNamespaced: boolean;
  /** Served by every API server; others come and go with their definitions. */
  readonly isBuiltIn: boolean;
  /** Of another project: shown in answers, and never enforced here. */
  readonly isForeign?: boolean;
  /** The cluster is known without its objects. */
  readonly isOptional?: boolean;
  /** What is kept of an object. */
  readonly keep: (object: JsonObject) => JsonObject;
}

/** `networkpolicies.networking.k8s.io`, as `kubectl` and roles name it. */
export const resourceOf = ({ plural, group }: Pick<WatchedKind, "plural" | "group">): string =>
  group === "" ? plural : `${plural}.${group}`;

/** `/apis/networking.k8s.io/v1/networkpolicies` */
export function pathOf({ group, plural, namespace }: PathParts, version: string): string {
  const api = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === undefined ? `${api}/${plural}` : `${api}/namespaces/${namespace}/${plural}`;
}

type PathParts = Pick<WatchedKind, "group" | "plural" | "namespace">;

const identifying = ["labels", "name", "namespace", "uid", "generation"] as const;

/** All of a policy, also fields that are not known here: these fail closed (S3.6). */
export function policyText(object: JsonObject): JsonObject {
  const { metadata = {} } = object;
  const about = isObject(metadata) ? metadata : {};
  const { annotations = {} } = about;
  const identity = identifying.flatMap((field) => (field in about ? [[field, about[field]!]] : []));
  return {
    ...without(object, "status"),
    metadata: {
      ...(Object.fromEntries(identity) as JsonObject),
      // What was applied last is the whole object once more.
      annotations: without(annotations, "kubectl.kubernetes.io/last-applied-configuration"),
    },
  };
}

function without(object: Json, field: string): JsonObject {
  return isObject(object)
    ? Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))
    : {};
}

const policy = (group: string, plural: string, kind: string): WatchedKind => ({
  kind,
  group,
  versions: dialects.find((one) => one.group === group && one.kind === kind)!.versions,
  plural,
  isNamespaced: kind === "NetworkPolicy" || kind === "CiliumNetworkPolicy",
  isBuiltIn: group === "networking.k8s.io",
  keep: policyText,
});

const builtIn = (
  kind: string,
  group: string,
  plural: string,
  scope: "cluster" | "namespaces",
): WatchedKind => ({
  kind,
  group,
  versions: ["v1"],
  plural,
  isNamespaced: scope === "namespaces",
  isBuiltIn: true,
  keep: (object) => keptClusterObject(object),
});

/** All that is read from a cluster. What is used most comes first. */
export const watchedKinds: readonly WatchedKind[] = [
  builtIn("Namespace", "", "namespaces", "cluster"),
  builtIn("Node", "", "nodes", "cluster"),
  builtIn("Pod", "", "pods", "namespaces"),
  builtIn("Service", "", "services", "namespaces"),
  builtIn("EndpointSlice", "discovery.k8s.io", "endpointslices", "namespaces"),
  policy("networking.k8s.io", "networkpolicies", "NetworkPolicy"),
  policy("policy.networking.k8s.io", "clusternetworkpolicies", "ClusterNetworkPolicy"),
  policy("policy.networking.k8s.io", "adminnetworkpolicies", "AdminNetworkPolicy"),
  policy("policy.networking.k8s.io", "baselineadminnetworkpolicies", "BaselineAdminNetworkPolicy"),
  policy("netpol.networking.k8s.io", "clusternetworkpolicies", "ClusterNetworkPolicy"),
  policy("netpol.networking.k8s.io", "clusterdefaultnetworkpolicies", "ClusterDefaultNetworkPolicy"),
  policy("cilium.io", "ciliumnetworkpolicies", "CiliumNetworkPolicy"),
  policy("cilium.io", "ciliumclusterwidenetworkpolicies", "CiliumClusterwideNetworkPolicy"),
  {
    ...builtIn("CiliumCIDRGroup", "cilium.io", "ciliumcidrgroups", "cluster"),
    versions: ["v2", "v2alpha1"],
    isBuiltIn: false,
  },
];

/** Those of which objects are policies that are evaluated. */
export const policyKinds: readonly WatchedKind[] = watchedKinds.filter(({ keep }) => keep === policyText);

/** Claims about the policies of the cluster, which no verdict depends on. Only the controller reads them. */
export const guaranteeKind: WatchedKind = {
  kind: "Guarantee",
  group: "tierwall.dev",
  versions: ["v1"],
  plural: "guarantees",
  isNamespaced: false,
  isBuiltIn: false,
  isOptional: true,
  keep: policyText,
};

/** Kinds whose objects have a spec of their users and a status of their controllers. */
export const reportedKindOf = ({ group, kind }: Pick<WatchedKind, "group" | "kind">): WatchedKind =>
  [...policyKinds, guaranteeKind].find((one) => one.group === group && one.kind === kind)!;
