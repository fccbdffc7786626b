import type { Template } from "../playground/templates.js";

const guarantee = (name: string, spec: string): string =>
  `apiVersion: tierwall.dev/v1
kind: Guarantee
metadata:
  name: ${name}
spec:
${spec}`;

/** Guarantees to start from. */
export const guaranteeTemplates: readonly Template[] = [
  {
    name: "namespace",
    title: "No other namespace reaches a namespace",
    text: (namespace) =>
      guarantee(
        `no-other-namespace-reaches-${namespace}`,
        `  from:
    namespaces:
      notSelf: true # other than the namespace of \`to\`
  to:
    namespaces:
      matchLabels:
        kubernetes.io/metadata.name: ${namespace}
  verdict: Deny
`,
      ),
  },
  {
    name: "tenants",
    title: "No tenant reaches another tenant",
    text: () =>
      guarantee(
        "no-tenant-reaches-another",
        `  from:
    namespaces:
      notSameLabels: [tenant]
  to:
    namespaces:
      matchExpressions:
      - {key: tenant, operator: Exists}
  verdict: Deny
`,
      ),
  },
  {
    name: "one-port",
    title: "Protected namespaces are reached on one port only",
    text: () =>
      guarantee(
        "card-data-only-through-443",
        `  from:
    namespaces:
      matchExpressions:
      - {key: pci, operator: NotIn, values: ["true"]}
  to:
    namespaces:
      matchLabels: {pci: "true"}
  exceptPorts: [443/TCP]
  verdict: Deny
`,
      ),
  },
  {
    name: "dns",
    title: "DNS is always reachable",
    text: () =>
      guarantee(
        "dns-is-always-reachable",
        `  from:
    namespaces: {}
  to:
    pods:
      namespaceSelector:
        matchLabels: {kubernetes.io/metadata.name: kube-system}
      podSelector:
        matchLabels: {k8s-app: kube-dns}
  ports: [53/UDP]
  verdict: Allow
`,
      ),
  },
  {
    name: "metadata-api",
    title: "The cloud’s metadata API is never reached",
    text: () =>
      guarantee(
        "the-metadata-api-is-never-reached",
        `  from:
    namespaces: {}
  to:
    networks: [169.254.169.254/32]
  verdict: Deny
`,
      ),
  },
  {
    name: "internet",
    title: "A namespace is not reached from outside the cluster",
    text: (namespace) =>
      guarantee(
        `${namespace}-is-not-reached-from-outside`,
        `  from:
    external: true
  to:
    namespaces:
      matchLabels:
        kubernetes.io/metadata.name: ${namespace}
  verdict: Deny
  whatever:
    networkPolicies: as-written # their owners change nothing
`,
      ),
  },
];
