import { compile } from "@tierwall/core/engine";
import type { Inventory } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";
import { parsedState, type Pod } from "../generate/parsed.js";
import { type Plan, planCluster } from "../generate/plan.js";
import { podCount, type Shape } from "../generate/shape.js";

/** The node that is measured, and how many of the cluster's pods run on it. */
export const benchNode = "bench-node";
export const localPods = 110;

export interface NodeCluster {
  readonly plan: Plan;
  readonly state: State;
}

/** A generated cluster, dual stack, of which some pods, of as many workloads as possible, run on the measured node. */
export function nodeCluster(shape: Shape, seed: number): NodeCluster {
  const plan = planCluster(shape, seed);
  const state = parsedState(plan);
  const every = Math.max(1, Math.floor(podCount(shape) / localPods));
  const pods = new Map<string, Pod>();
  let local = 0;
  for (const [key, pod] of state.cluster.pods) {
    const isLocal = !pod.hostNetwork && pods.size % every === 0 && local < localPods;
    const dual = dualStack(pod, isLocal ? benchNode : pod.node);
    if (isLocal) local++;
    pods.set(key, dual);
  }
  const cluster: Inventory = {
    ...state.cluster,
    pods,
    workloads: [],
    nodes: withBenchNode(state.cluster),
  };
  return { plan, state: { ...state, cluster } };
}

/** An IPv6 address in addition to the IPv4 one, made of the same digits. */
export function dualStack(pod: Pod, node: string | undefined): Pod {
  const [four] = pod.addresses;
  const six = four === undefined ? [] : [{ family: 6 as const, value: (0xfd00_0010n << 96n) | four.value }];
  const addresses = pod.hostNetwork ? pod.addresses : [...pod.addresses, ...six];
  return { ...pod, addresses, ...(node === undefined ? {} : { node }) };
}

function withBenchNode({ nodes }: Inventory): Inventory["nodes"] {
  const address = { family: 4 as const, value: 0x0a00_fffen };
  return new Map([...nodes, [benchNode, { name: benchNode, labels: {}, addresses: [address] }]]);
}

export type Policy = State["policies"][number];

export interface AllowedPair {
  readonly client: Pod;
  readonly server: Pod;
  readonly port: number;
  /** The policies that let them. */
  readonly by: readonly Policy[];
}

/** Two pods to which rules apply in both directions, and a port that is allowed between them. That is most often so for neighbours. */
export function checkedPair({ cluster, tiers }: State): AllowedPair {
  const engine = compile(cluster, tiers);
  const end = (pod: Pod) => ({
    kind: "pod" as const,
    pod,
    namespace: cluster.namespaces.get(pod.namespace)!,
  });
  for (const pods of neighbours(cluster))
    for (const client of pods)
      for (const server of pods)
        for (const port of client === server ? [] : [8080, 80, 443, 9090]) {
          const flow = { source: end(client), destination: end(server), protocol: "TCP" as const, port };
          if (([4, 6] as const).some((family) => engine.verdict({ ...flow, family }) !== "Allow")) continue;
          const { egress, ingress } = engine.explain({ ...flow, family: 4 });
          const by = [egress, ingress].map(({ deciders }) =>
            deciders.flatMap((decider) => (decider.kind === "rule" ? [decider.rule.origin.policy] : [])),
          );
          if (by.every((policies) => policies.length > 0)) return { client, server, port, by: by.flat() };
        }
  throw new Error("no two pods of a namespace can reach each other by rules: take another seed");
}

/** One pod of each workload, by namespace. */
function neighbours(cluster: Inventory): Iterable<readonly Pod[]> {
  const found = new Map<string, Map<string, Pod>>();
  for (const pod of cluster.pods.values()) {
    if (pod.hostNetwork) continue;
    const others = found.get(pod.namespace) ?? new Map<string, Pod>();
    found.set(pod.namespace, others.set(pod.workload?.name ?? pod.name, pod));
  }
  return [...found.values()].map((pods) => [...pods.values()]);
}

/** The same cluster with some of its pods on the measured node. */
export function onBenchNode(cluster: Inventory, moving: readonly Pod[]): Inventory {
  const pods = new Map<string, Pod>();
  for (const [key, pod] of cluster.pods)
    pods.set(key, moving.includes(pod) ? { ...pod, node: benchNode } : pod);
  return { ...cluster, pods };
}
