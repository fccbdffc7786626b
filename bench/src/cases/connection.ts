import type { Engine } from "@tierwall/core/engine";
import type { Inventory } from "@tierwall/core/model";
import type { Pod } from "../generate/parsed.js";

export type Flow = Parameters<Engine["verdict"]>[0];

/** Between two pods, over TCP. */
export function connection({ namespaces }: Inventory, source: Pod, destination: Pod, port: number): Flow {
  const end = (pod: Pod) => ({ kind: "pod", pod, namespace: namespaces.get(pod.namespace)! }) as const;
  return { source: end(source), destination: end(destination), protocol: "TCP", port, family: 4 };
}
