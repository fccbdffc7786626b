import { type Cluster, compile, type State } from "@tierwall/core";
import { parsedState, type Pod } from "../generate/parsed.js";
import { type Plan, planCluster } from "../generate/plan.js";
import { podCount, type Shape } from "../generate/shape.js";

/** The node that is measured, and how many of the cluster's pods run on it. */
export const benchNode = "bench-node";
export const localPods = 110;

export interface NodeCluster {
  readonly plan: Plan;
  readonly state: State;
  readonly local: readonly Pod[];
}

/** A generated cluster, dual stack, of which some pods, of as many workloads as possible, run on the measured node. */
export function nodeCluster(shape: Shape, seed: number): NodeCluster {
  const plan = planCluster(shape, seed);
  const state = parsedState(plan);
  const every = Math.max(1, Math.floor(podCount(shape) / localPods));
  const pods = new Map<string, Pod>();
  const local: Pod[] = [];
  for (const [key, pod] of state.cluster.pods) {
    const isLocal = !pod.hostNetwork && pods.size % every === 0 && local.length < localPods;
    const dual = dualStack(pod, isLocal ? benchNode : pod.node);
    if (isLocal) local.push(dual);
    pods.set(key, dual);
  }
  const cluster: Cluster = { ...state.cluster, pods, workloads: [], nodes: withBenchNode(state.cluster) };
  return { plan, state: { ...state, cluster }, local };
}

/** An IPv6 address beside the IPv4 one, made of the same digits. */
export function dualStack(pod: Pod, node: string | undefined): Pod {
  const [four] = pod.addresses;
  const six = four === undefined ? [] : [{ family: 6 as const, value: (0xfd00_0010n << 96n) | four.value }];
  const addresses = pod.hostNetwork ? pod.addresses : [...pod.addresses, ...six];
  return { ...pod, addresses, ...(node === undefined ? {} : { node }) };
}

function withBenchNode({ nodes }: Cluster): Cluster["nodes"] {
  const address = { family: 4 as const, value: 0x0a00_fffen };
  return new Map([...nodes, [benchNode, { name: benchNode, labels: {}, addresses: [address] }]]);
}

export interface AllowedPair {
  readonly client: Pod;
  readonly server: Pod;
  readonly port: number;
}

/** Two local pods that rules keep in check both ways, and a port on which they may talk all the same. */
export function checkedPair({ state: { cluster, tiers }, local }: NodeCluster): AllowedPair {
  const engine = compile(cluster, tiers);
  const end = (pod: Pod) => ({
    kind: "pod" as const,
    pod,
    namespace: cluster.namespaces.get(pod.namespace)!,
  });
  let best: (AllowedPair & { readonly rules: number }) | undefined;
  for (const client of local)
    for (const server of local)
      for (const port of [8080, 80, 443, 9090]) {
        if (client === server) continue;
        const flow = { source: end(client), destination: end(server), protocol: "TCP" as const, port };
        if (!([4, 6] as const).every((family) => engine.verdict({ ...flow, family }) === "Allow")) continue;
        const { egress, ingress } = engine.explain({ ...flow, family: 4 });
        // The more both sides are decided by rules, the dearer: those are what is to be measured.
        const rules = [egress, ingress].filter(({ deciders }) =>
          deciders.some(({ kind }) => kind === "rule"),
        );
        if (best === undefined || rules.length > best.rules)
          best = { client, server, port, rules: rules.length };
        if (best.rules === 2) return best;
      }
  if (best === undefined)
    throw new Error("no two pods of the node may talk to each other: take another seed");
  return best;
}
