import {
  dialects,
  excerptOf,
  isObject,
  type Json,
  type JsonObject,
  nodeAnnotations,
  type Outline,
  podExcerpt,
} from "@tierwall/core";

/** A kind of objects that is read from clusters. */
export interface WatchedKind {
  readonly kind: string;
  /** `""` for the core group. */
  readonly group: string;
  /** Those whose shape is known: the first that is served is taken, else any other. */
  readonly versions: readonly string[];
  readonly plural: string;
  /** The only one that is looked at; absent: all. */
  readonly namespace?: string;
  /** Its objects live in namespaces. */
  readonly isNamespaced: boolean;
  /** Served by every API server; others come and go with their definitions. */
  readonly isBuiltIn: boolean;
  /** Of another project: shown in answers, never enforced here, and not needed to begin. */
  readonly isForeign?: boolean;
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

const identity = { labels: "all", name: "all", namespace: "all", uid: "all" } as const;
const type = { apiVersion: "all", kind: "all" } as const;

const fieldsOf =
  (outline: Outline) =>
  (object: JsonObject): JsonObject =>
    excerptOf(object, outline);

/** Of policies all that they say, also what is not known here: that fails closed (S3.6). */
export function policyText(object: JsonObject): JsonObject {
  const { metadata = {} } = object;
  const about = isObject(metadata) ? metadata : {};
  const { annotations = {} } = about;
  return {
    ...without(object, "status"),
    metadata: {
      ...excerptOf(about, { ...identity, generation: "all" }),
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

/** All that is read from a cluster. What is looked at most comes first. */
export const watchedKinds: readonly WatchedKind[] = [
  {
    kind: "Namespace",
    group: "",
    versions: ["v1"],
    plural: "namespaces",
    isNamespaced: false,
    isBuiltIn: true,
    keep: fieldsOf({ ...type, metadata: identity }),
  },
  {
    kind: "Node",
    group: "",
    versions: ["v1"],
    plural: "nodes",
    isNamespaced: false,
    isBuiltIn: true,
    keep: fieldsOf({
      ...type,
      metadata: {
        ...identity,
        annotations: Object.fromEntries(nodeAnnotations.map((key) => [key, "all"] as const)),
      },
      spec: { podCIDR: "all", podCIDRs: "all" },
      status: { addresses: { address: "all" } },
    }),
  },
  {
    kind: "Pod",
    group: "",
    versions: ["v1"],
    plural: "pods",
    isNamespaced: true,
    isBuiltIn: true,
    keep: fieldsOf(podExcerpt.outline),
  },
  {
    kind: "Service",
    group: "",
    versions: ["v1"],
    plural: "services",
    isNamespaced: true,
    isBuiltIn: true,
    keep: fieldsOf({ ...type, metadata: identity, spec: "all", status: { loadBalancer: "all" } }),
  },
  {
    kind: "EndpointSlice",
    group: "discovery.k8s.io",
    versions: ["v1"],
    plural: "endpointslices",
    isNamespaced: true,
    isBuiltIn: true,
    keep: fieldsOf({
      ...type,
      metadata: identity,
      addressType: "all",
      ports: "all",
      endpoints: { addresses: "all", conditions: { ready: "all" }, targetRef: "all" },
    }),
  },
  policy("networking.k8s.io", "networkpolicies", "NetworkPolicy"),
  policy("policy.networking.k8s.io", "clusternetworkpolicies", "ClusterNetworkPolicy"),
  policy("policy.networking.k8s.io", "adminnetworkpolicies", "AdminNetworkPolicy"),
  policy("policy.networking.k8s.io", "baselineadminnetworkpolicies", "BaselineAdminNetworkPolicy"),
  policy("netpol.networking.k8s.io", "clusternetworkpolicies", "ClusterNetworkPolicy"),
  policy("netpol.networking.k8s.io", "clusterdefaultnetworkpolicies", "ClusterDefaultNetworkPolicy"),
  policy("cilium.io", "ciliumnetworkpolicies", "CiliumNetworkPolicy"),
  policy("cilium.io", "ciliumclusterwidenetworkpolicies", "CiliumClusterwideNetworkPolicy"),
  {
    kind: "CiliumCIDRGroup",
    group: "cilium.io",
    versions: ["v2", "v2alpha1"],
    plural: "ciliumcidrgroups",
    isNamespaced: false,
    isBuiltIn: false,
    keep: fieldsOf({ ...type, metadata: identity, spec: "all" }),
  },
];
