import type { Direction } from "../policy/model.js";

/*
 * Policy APIs of other projects that Tierwall recognises and does not evaluate (S9.3). Only group and kind count: a
 * version that is not known yet is treated like the others.
 */

export type ForeignEffect =
  /** Can deny or allow packets: affected verdicts are Undecided. */
  | { readonly kind: "l3-l4"; readonly directions: readonly Direction[]; readonly reach: ForeignReach }
  /** Enforced by a proxy at an endpoint, in addition to packet filtering: a caveat. */
  | { readonly kind: "l7"; readonly directions: readonly Direction[] }
  /** Enforced on nodes: a caveat where an endpoint is a node. */
  | { readonly kind: "host" }
  /** Used by other kinds, or derived from them: no effect by itself. */
  | { readonly kind: "structure" }
  /** Not enforced until it is promoted to another kind. */
  | { readonly kind: "inert" };

/** `outside-pods`: never traffic between pods, only to nodes and external addresses. */
export type ForeignReach = "every-address" | "outside-pods";

export interface ForeignKind {
  /** The project or vendor, as users name it: `Calico`. */
  readonly product: string;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly effect: ForeignEffect;
}

const filter: ForeignEffect = {
  kind: "l3-l4",
  directions: ["ingress", "egress"],
  reach: "every-address",
};
const egressFilter: ForeignEffect = { kind: "l3-l4", directions: ["egress"], reach: "every-address" };
const egressFirewall: ForeignEffect = { kind: "l3-l4", directions: ["egress"], reach: "outside-pods" };
const l7: ForeignEffect = { kind: "l7", directions: ["ingress", "egress"] };
const l7Server: ForeignEffect = { kind: "l7", directions: ["ingress"] };
const l7Client: ForeignEffect = { kind: "l7", directions: ["egress"] };
const host: ForeignEffect = { kind: "host" };
const structure: ForeignEffect = { kind: "structure" };
const inert: ForeignEffect = { kind: "inert" };

type Row = readonly [kind: string, plural: string, scope: ForeignKind["scope"], effect: ForeignEffect];

const calico: readonly Row[] = [
  ["NetworkPolicy", "networkpolicies", "Namespaced", filter],
  ["GlobalNetworkPolicy", "globalnetworkpolicies", "Cluster", filter],
  ["HostEndpoint", "hostendpoints", "Cluster", host],
  ["Tier", "tiers", "Cluster", structure],
  ["Profile", "profiles", "Cluster", structure],
  ["NetworkSet", "networksets", "Namespaced", structure],
  ["GlobalNetworkSet", "globalnetworksets", "Cluster", structure],
  ["StagedNetworkPolicy", "stagednetworkpolicies", "Namespaced", inert],
  ["StagedGlobalNetworkPolicy", "stagedglobalnetworkpolicies", "Cluster", inert],
  ["StagedKubernetesNetworkPolicy", "stagedkubernetesnetworkpolicies", "Namespaced", inert],
];

const antrea: readonly Row[] = [
  ["NetworkPolicy", "networkpolicies", "Namespaced", filter],
  ["ClusterNetworkPolicy", "clusternetworkpolicies", "Cluster", filter],
  ["Tier", "tiers", "Cluster", structure],
  ["Group", "groups", "Namespaced", structure],
  ["ClusterGroup", "clustergroups", "Cluster", structure],
];

const aws: readonly Row[] = [
  ["ClusterNetworkPolicy", "clusternetworkpolicies", "Cluster", filter],
  ["ApplicationNetworkPolicy", "applicationnetworkpolicies", "Namespaced", filter],
  // Derived from the two above and from NetworkPolicies.
  ["PolicyEndpoint", "policyendpoints", "Namespaced", structure],
  ["ClusterPolicyEndpoint", "clusterpolicyendpoints", "Cluster", structure],
];

const linkerd: readonly Row[] = [
  ["Server", "servers", "Namespaced", l7Server],
  ["ServerAuthorization", "serverauthorizations", "Namespaced", l7Server],
  ["AuthorizationPolicy", "authorizationpolicies", "Namespaced", l7Server],
  ["EgressNetwork", "egressnetworks", "Namespaced", l7Client],
  ["MeshTLSAuthentication", "meshtlsauthentications", "Namespaced", structure],
  ["NetworkAuthentication", "networkauthentications", "Namespaced", structure],
];

const apis: readonly (readonly [product: string, group: string, rows: readonly Row[]])[] = [
  ["Calico", "projectcalico.org", calico],
  ["Calico", "crd.projectcalico.org", calico],
  ["Antrea", "crd.antrea.io", antrea],
  // The group of Antrea before 1.0.
  ["Antrea", "security.antrea.tanzu.vmware.com", antrea],
  ["AWS", "networking.k8s.aws", aws],
  // Security groups for pods: enforced by the VPC.
  ["AWS", "vpcresources.k8s.aws", [["SecurityGroupPolicy", "securitygrouppolicies", "Namespaced", filter]]],
  [
    "OVN-Kubernetes",
    "k8s.ovn.org",
    [
      ["EgressFirewall", "egressfirewalls", "Namespaced", egressFirewall],
      // A primary network of its own separates its pods from all others.
      ["UserDefinedNetwork", "userdefinednetworks", "Namespaced", filter],
      ["ClusterUserDefinedNetwork", "clusteruserdefinednetworks", "Cluster", filter],
    ],
  ],
  [
    "OpenShift",
    "network.openshift.io",
    [["EgressNetworkPolicy", "egressnetworkpolicies", "Namespaced", egressFirewall]],
  ],
  ["GKE", "networking.gke.io", [["FQDNNetworkPolicy", "fqdnnetworkpolicies", "Namespaced", egressFilter]]],
  [
    "Kube-OVN",
    "kubeovn.io",
    [
      ["SecurityGroup", "security-groups", "Cluster", filter],
      ["Subnet", "subnets", "Cluster", filter],
    ],
  ],
  ["NSX", "nsx.vmware.com", [["SecurityPolicy", "securitypolicies", "Namespaced", filter]]],
  ["NSX", "crd.nsx.vmware.com", [["SecurityPolicy", "securitypolicies", "Namespaced", filter]]],
  [
    "Istio",
    "security.istio.io",
    [
      ["AuthorizationPolicy", "authorizationpolicies", "Namespaced", l7Server],
      ["PeerAuthentication", "peerauthentications", "Namespaced", l7Server],
      ["RequestAuthentication", "requestauthentications", "Namespaced", l7Server],
    ],
  ],
  // `outboundTrafficPolicy: REGISTRY_ONLY` denies what the mesh does not know.
  ["Istio", "networking.istio.io", [["Sidecar", "sidecars", "Namespaced", l7Client]]],
  ["Linkerd", "policy.linkerd.io", linkerd],
  ["Consul", "consul.hashicorp.com", [["ServiceIntentions", "serviceintentions", "Namespaced", l7]]],
  ["Consul", "auth.consul.hashicorp.com", [["TrafficPermissions", "trafficpermissions", "Namespaced", l7]]],
  [
    "Kuma",
    "kuma.io",
    [
      ["MeshTrafficPermission", "meshtrafficpermissions", "Namespaced", l7],
      ["TrafficPermission", "trafficpermissions", "Cluster", l7],
    ],
  ],
  ["SMI", "access.smi-spec.io", [["TrafficTarget", "traffictargets", "Namespaced", l7]]],
];

export const foreignKinds: readonly ForeignKind[] = apis.flatMap(([product, group, rows]) =>
  rows.map(([kind, plural, scope, effect]) => ({ product, group, kind, plural, scope, effect })),
);

/** What `--ignore-api` accepts. */
export const foreignGroups: readonly string[] = [...new Set(foreignKinds.map(({ group }) => group))].toSorted(
  (a, b) => (a < b ? -1 : 1),
);

const byGroupAndKind = new Map(foreignKinds.map((row) => [`${row.group} ${row.kind}`, row]));

export function foreignKindOf(apiVersion: string, kind: string): ForeignKind | undefined {
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? undefined : byGroupAndKind.get(`${apiVersion.slice(0, slash)} ${kind}`);
}
