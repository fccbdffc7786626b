/** Two pods of a shop. */
export const cartAndWeb = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
`;

/** A cluster-wide rule about one port of every pod. */
export const guardOnPort = (name: string, action: string, port: number) => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec:
  tier: Admin
  priority: ${port % 1000}
  subject: {namespaces: {}}
  ingress: [{action: ${action}, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: ${port}}}}]}]
`;

/** A NetworkPolicy for the cart. */
export const policyOfCart = (rule: string) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: shop}
spec: {podSelector: {matchLabels: {app: cart}}, policyTypes: [Ingress], ingress: [${rule}]}
`;

export const fromWeb = "{from: [{podSelector: {matchLabels: {app: web}}}]}";
