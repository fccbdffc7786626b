/**
 * A cluster in which every text that an author chooses is this one, in addition to valid names for questions. `free` are the texts that no
 * API restricts.
 */
export function hostileManifests(name: string, free: string): readonly object[] {
  const pod = (own: string, labels: object, more: object = {}) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name: own, labels, ...more },
    spec: {
      nodeName: name,
      serviceAccountName: name,
      containers: [{ name, image: name, ports: [{ name, containerPort: 8080 }] }],
    },
    status: { podIP: name, phase: name },
  });
  const rule = (action: string) => ({
    name: free,
    action,
    from: [{ pods: { podSelector: { matchLabels: { app: "cart" } } } }],
  });
  return [
    pod("cart", { app: "cart" }),
    pod("api", { app: "api", [name]: name }),
    pod(name, { app: name }),
    { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { [name]: name } } },
    { apiVersion: "v1", kind: "Node", metadata: { name, labels: { [name]: name } } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: "shop", name },
      spec: {
        clusterIP: "10.0.0.1",
        selector: { app: "api" },
        ports: [{ name, port: 80, targetPort: name }],
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace: "shop", name },
      spec: { selector: {}, template: { metadata: { labels: { app: name } }, spec: { containers: [] } } },
    },
    {
      apiVersion: "policy.networking.k8s.io/v1alpha2",
      kind: "ClusterNetworkPolicy",
      metadata: {
        name: "guard",
        annotations: { "tierwall.dev/lint-ignore": `TW4001: ${name}`, "tierwall.dev/audit": name },
      },
      spec: {
        tier: "Admin",
        priority: 1,
        subject: { pods: { podSelector: { matchLabels: { app: "api" } } } },
        ingress: [rule("Deny"), rule("Accept"), rule("Pass")],
      },
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { namespace: "shop", name, uid: "1" },
      spec: {
        podSelector: { matchLabels: { app: name } },
        ingress: [{ from: [{ podSelector: { matchLabels: { [name]: name } } }], ports: [{ port: name }] }],
      },
    },
    {
      apiVersion: "cilium.io/v2",
      kind: "CiliumNetworkPolicy",
      metadata: { namespace: "shop", name: "fqdn", uid: "2" },
      spec: {
        description: name,
        endpointSelector: { matchLabels: { app: "cart" } },
        egress: [
          { toFQDNs: [{ matchPattern: name }] },
          { toServices: [{ k8sService: { serviceName: name, namespace: name } }] },
          { toCIDRSet: [{ cidrGroupRef: name }] },
        ],
      },
    },
    { apiVersion: name, kind: name, metadata: { name } },
    { apiVersion: "v1", kind: "Secret", metadata: { name } },
    ...hostileForeign(name),
  ];
}

/** A ConnectivityTest in which every possible text is this one. */
export const hostileTest = (name: string) => ({
  apiVersion: "tierwall.dev/v1",
  kind: "ConnectivityTest",
  metadata: { name },
  spec: {
    given: [name],
    expect: [{ from: "shop/cart", to: "shop/api:80/TCP", verdict: "Allow", decidedBy: name }],
  },
});

/** Objects of APIs that are not evaluated, and what a snapshot lacks: they are named in caveats and in missing facts. */
const hostileForeign = (name: string): readonly object[] => [
  {
    apiVersion: `crd.projectcalico.org/${name}`,
    kind: "GlobalNetworkPolicy",
    metadata: { name },
    // Not the destination of the question: a decided verdict shows more.
    spec: { selector: "app == 'cart'", types: ["Ingress"] },
  },
  { apiVersion: "crd.projectcalico.org/v1", kind: "HostEndpoint", metadata: { name }, spec: { node: name } },
  {
    apiVersion: "security.istio.io/v1",
    kind: "AuthorizationPolicy",
    metadata: { namespace: "shop", name },
    spec: {},
  },
  { apiVersion: "security.istio.io/v1", kind: "AuthorizationPolicy", metadata: { namespace: name, name } },
  {
    apiVersion: "tierwall.dev/v1",
    kind: "Snapshot",
    forbidden: [name],
    missing: [name],
    undiscovered: name,
    onlyIn: { namespace: name, resources: [name, name] },
  },
];
