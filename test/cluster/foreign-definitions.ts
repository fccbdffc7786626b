import type { ApiClient } from "./api-client.js";
import type { Definition } from "./policy-cluster.js";

/* Definitions of policy APIs of other projects, as far as an API server needs them: they take any spec. */

function definition(group: string, version: string, kind: string, plural: string): Definition {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = { type: "object", properties: { spec: anything } };
  const written: object = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Cluster",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
  return written as Definition;
}

export const calico = {
  definition: definition("crd.projectcalico.org", "v1", "GlobalNetworkPolicy", "globalnetworkpolicies"),
  path: "/apis/crd.projectcalico.org/v1/globalnetworkpolicies",
  denyAll: {
    apiVersion: "crd.projectcalico.org/v1",
    kind: "GlobalNetworkPolicy",
    metadata: { name: "lockdown" },
    spec: { selector: "all()", types: ["Ingress"], ingress: [{ action: "Deny" }] },
  },
} as const;

export const aws = {
  definition: definition("networking.k8s.aws", "v1alpha1", "ClusterNetworkPolicy", "clusternetworkpolicies"),
  path: "/apis/networking.k8s.aws/v1alpha1/clusternetworkpolicies",
  denyDb: {
    apiVersion: "networking.k8s.aws/v1alpha1",
    kind: "ClusterNetworkPolicy",
    metadata: { name: "no-db" },
    spec: {
      tier: "Admin",
      priority: 1,
      subject: { pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: "db" } } } },
      ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
    },
  },
} as const;

/** Takes the definition away, with all objects. */
export async function uninstall(api: ApiClient, { metadata, spec }: Definition): Promise<void> {
  await api.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`);
  const path = `/apis/${spec.group}/${spec.versions[0]!.name}/${spec.names.plural}`;
  for (let tries = 0; (await api.statusOf(path)) !== 404; tries++) {
    if (tries > 1200) throw new Error(`${path} is still served`);
    await new Promise((next) => setTimeout(next, 100));
  }
}
