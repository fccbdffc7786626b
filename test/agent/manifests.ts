/** What the labs enforce: two pods of one node in one namespace, and policies for them. */

export const pods = (...list: readonly (readonly [name: string, address: string])[]): string =>
  [
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}",
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {addresses: [{type: InternalIP, address: 10.9.0.1}]}",
    ...list.map(
      ([name, address]) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}
spec: {nodeName: n1}
status: {phase: Running, podIPs: [{ip: ${address}}]}`,
    ),
  ].join("\n---\n");

/** Pod b may be reached from pod a, only on these ports; without ports, by no pod. */
export const ingressOfB = (
  ports: readonly number[],
  annotations: Readonly<Record<string, string>> = {},
): string => `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: b, namespace: shop, annotations: ${JSON.stringify(annotations)}}
spec:
  podSelector: {matchLabels: {app: b}}
  policyTypes: [Ingress]
  ingress: ${ports.length === 0 ? "[]" : ""}
${ports.length === 0 ? "" : `  - from: [{podSelector: {matchLabels: {app: a}}}]\n    ports: [${ports.map((port) => `{port: ${port}}`).join(", ")}]`}
`;
