import type { State } from "../src/state/state.js";
import type { Manifest, Unnamed } from "./arbitrary/arbitrary-vocabulary.js";
import { named } from "./arbitrary/arbitrary-policies.js";
import { stateOf } from "./arbitrary/scenario.js";

/** Pods `p0`, `p1`, … in one namespace, each with its own label and address, and policies for them. */
export function largeCluster(pods: number, policies: readonly Unnamed<unknown>[]): State {
  const namespace: Manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "all" } };
  return stateOf([
    namespace,
    ...Array.from({ length: pods }, (_, i) => podNumber(i)),
    ...policies.map((policy, i) => named(policy, `policy-${i}`)),
  ]);
}

export const podNamed = (state: State, i: number) => {
  const pod = state.cluster.pods.get(`all/p${i}`)!;
  return { kind: "pod", pod, namespace: state.cluster.namespaces.get("all")! } as const;
};

export const labelOf = (i: number): Readonly<Record<string, string>> => ({ app: `p${i}` });

function podNumber(i: number): Manifest & { readonly status: object } {
  const ip = `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p${i}`, namespace: "all", labels: labelOf(i) },
    spec: { containers: [{ name: "main" }] },
    status: { phase: "Running", podIPs: [{ ip }] },
  };
}
