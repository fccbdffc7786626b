import { appPod, namespace, networkPolicy, node } from "../../packages/core/testing/manifests.js";

/** What the labs enforce: two pods of one node in one namespace, and policies for them. */

export const pods = (...list: readonly (readonly [name: string, address: string])[]): string =>
  [
    namespace("shop"),
    node("n1", "10.9.0.1"),
    ...list.map(([name, address]) => appPod(`shop/${name}`, { node: "n1", ips: [address] })),
  ].join("");

/** Pod b may be reached from pod a, only on these ports; without ports, by no pod. */
export function ingressOfB(
  ports: readonly number[],
  annotations: Readonly<Record<string, string>> = {},
): string {
  const list = ports.map((port) => `{port: ${port}}`).join(", ");
  const rule = `{from: [{podSelector: {matchLabels: {app: a}}}], ports: [${list}]}`;
  return networkPolicy("shop/b", {
    podSelector: "{matchLabels: {app: b}}",
    policyTypes: "[Ingress]",
    ingress: ports.length === 0 ? "[]" : `[${rule}]`,
  }).replace("namespace: shop}", `namespace: shop, annotations: ${JSON.stringify(annotations)}}`);
}
