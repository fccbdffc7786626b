import { type Inventory, parseAddress } from "@tierwall/core/model";
import { readState, type State } from "@tierwall/core/state";
import { controllerOf, surroundingsOf } from "./manifests.js";
import type { Plan, PlannedWorkload } from "./plan.js";
import { podsOf } from "./planned-pods.js";

export type Pod = Inventory["pods"] extends ReadonlyMap<string, infer P> ? P : never;

/** What reading the manifests of a plan gives, without their text: pods are made directly, as there may be a million. */
export function parsedState(plan: Plan): State {
  const list = { apiVersion: "v1", kind: "List", items: [...surroundingsOf(plan)] };
  const state = readState([{ file: "generated.json", text: JSON.stringify(list) }]);
  if (!state.usable) throw new Error(`the generated cluster has errors: ${state.diagnostics[0]?.message}`);
  return { ...state, cluster: { ...state.cluster, ...parsedPods(plan) } };
}

function parsedPods(plan: Plan): Pick<Inventory, "pods" | "workloads"> {
  const pods = new Map<string, Pod>();
  const workloads = new Map(plan.workloads.map((planned) => [planned, parsedWorkload(planned)]));
  const hosts = new Map(plan.nodes.map((node) => [node, [parseAddress(node.address)!]]));
  for (const { name, workload: planned, labels, node, address } of podsOf(plan)) {
    const { shared, pods: own } = workloads.get(planned)!;
    const pod: Pod = {
      ...shared,
      name,
      labels,
      addresses: [{ family: 4, value: BigInt(address) }],
      hostAddresses: hosts.get(node)!,
      node: node.name,
    };
    pods.set(`${pod.namespace}/${name}`, pod);
    own.push(pod);
  }
  return { pods, workloads: [...workloads.values()].map(({ ref, pods }) => ({ ...ref, pods })) };
}

/** What all pods of a workload have in common. */
function parsedWorkload(planned: PlannedWorkload) {
  const { kind, namespace, name, ports, hostNetwork } = planned;
  const ref = { kind, namespace, name };
  const shared = {
    namespace,
    hostNetwork,
    ports: ports.map(({ name, port }) => ({ port, protocol: "TCP" as const, name })),
    serviceAccount: name,
    controller: { ...controllerOf(planned), namespace },
    workload: ref,
  };
  return { ref, shared, pods: [] as Pod[] };
}
