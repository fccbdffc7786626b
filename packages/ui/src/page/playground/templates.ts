/** A policy to start from, for a namespace of the cluster. */
export interface Template {
  readonly name: string;
  readonly title: string;
  readonly text: (namespace: string) => string;
}

const clusterPolicy = (name: string, tier: "Admin" | "Baseline", priority: number, rest: string): string =>
  `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata:
  name: ${name}
spec:
  tier: ${tier}
  priority: ${priority}
${rest}`;

export const templates: readonly Template[] = [
  {
    name: "protect-namespace",
    title: "Protect a namespace",
    text: (namespace) =>
      clusterPolicy(
        `protect-${namespace}`,
        "Admin",
        5,
        `  subject:
    namespaces:
      matchLabels:
        kubernetes.io/metadata.name: ${namespace}
  ingress:
  - name: its-own-pods
    action: Pass # its NetworkPolicies decide
    from:
    - namespaces:
        matchLabels:
          kubernetes.io/metadata.name: ${namespace}
  - name: no-other-namespace
    action: Deny
    from:
    - namespaces: {}
`,
      ),
  },
  {
    name: "allow-dns",
    title: "DNS is always reachable",
    text: () =>
      clusterPolicy(
        "names-always-resolve",
        "Admin",
        0,
        `  subject:
    namespaces: {}
  egress:
  - name: dns
    action: Accept
    to:
    - pods:
        namespaceSelector:
          matchLabels:
            kubernetes.io/metadata.name: kube-system
        podSelector:
          matchLabels:
            k8s-app: kube-dns
    protocols:
    - udp:
        destinationPort:
          number: 53
    - tcp:
        destinationPort:
          number: 53
`,
      ),
  },
  {
    name: "no-internet",
    title: "No connections to the internet",
    text: (namespace) =>
      clusterPolicy(
        `no-internet-from-${namespace}`,
        "Admin",
        20,
        `  subject:
    namespaces:
      matchLabels:
        kubernetes.io/metadata.name: ${namespace}
  egress:
  - name: inside-the-cluster
    action: Pass
    to:
    - namespaces: {}
  - name: no-internet
    action: Deny
    to:
    - networks:
      - 0.0.0.0/0
      - "::/0"
`,
      ),
  },
  {
    name: "closed-by-default",
    title: "Closed unless a NetworkPolicy allows it",
    text: (namespace) =>
      clusterPolicy(
        `${namespace}-starts-closed`,
        "Baseline",
        10,
        `  subject:
    namespaces:
      matchLabels:
        kubernetes.io/metadata.name: ${namespace}
  ingress:
  - name: closed-unless-allowed
    action: Deny
    from:
    - namespaces: {}
`,
      ),
  },
  {
    name: "isolate-namespace",
    title: "NetworkPolicy: isolate a namespace",
    text: (namespace) => `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: own-namespace-only
  namespace: ${namespace}
spec:
  podSelector: {} # all of its pods
  policyTypes:
  - Ingress
  ingress:
  - from:
    - podSelector: {}
`,
  },
];
