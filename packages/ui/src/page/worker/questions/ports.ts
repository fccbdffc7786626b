import { parseEndpoint } from "@tierwall/core/analysis";
import type { ContainerPort, Pod } from "@tierwall/core/model";
import type { HeldState } from "../held-state.js";

export interface PortsRequest {
  readonly to: string;
}

/** A port that the destination is known to have; `value` is how the question names it. */
export interface KnownPort {
  readonly value: string;
  readonly name?: string;
}

export function answerPorts({ state: { cluster } }: HeldState, { to }: PortsRequest): readonly KnownPort[] {
  const ref = parseEndpoint(to);
  if (!ref.ok || (ref.value.kind !== "named" && ref.value.kind !== "workload")) return [];
  const { namespace, name } = ref.value;
  const isIt = (other: { readonly namespace: string; readonly name: string }) =>
    other.namespace === namespace && other.name === name;
  if (ref.value.kind === "workload" && ref.value.workload === "Service")
    return distinct(cluster.services.find(isIt)?.ports ?? []);
  const pod = cluster.pods.get(`${namespace}/${name}`);
  const pods: readonly Pod[] = pod === undefined ? (cluster.workloads.find(isIt)?.pods ?? []) : [pod];
  return distinct(pods.flatMap(({ ports }) => ports));
}

function distinct(ports: readonly Pick<ContainerPort, "name" | "port" | "protocol">[]): readonly KnownPort[] {
  const known = new Map<string, KnownPort>();
  for (const { name, port, protocol } of ports) {
    const value = `${port}/${protocol}`;
    if (!known.has(value)) known.set(value, { value, ...(name === undefined ? {} : { name }) });
  }
  return [...known.values()];
}
