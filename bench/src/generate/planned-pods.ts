import { nodeAddress, podAddress } from "./addresses.js";
import { letters } from "./letters.js";
import type { Plan, PlannedNode, PlannedWorkload } from "./plan.js";

export interface PlannedPod {
  readonly name: string;
  readonly workload: PlannedWorkload;
  /** Its own copy, with what only this pod has. */
  readonly labels: Readonly<Record<string, string>>;
  readonly node: PlannedNode;
  /** That of its node for a pod in the host's network. */
  readonly address: number;
}

export function* podsOf({ shape, workloads, nodes }: Plan): Iterable<PlannedPod> {
  let number = 0;
  for (const workload of workloads)
    for (let replica = 0; replica < shape.replicas; replica++, number++) {
      const node = number % nodes.length;
      const own = shape.style === "adversarial" ? shardLabels(number) : {};
      yield {
        name: podName(workload, replica, number),
        workload,
        labels: { ...workload.labels, ...own },
        node: nodes[node]!,
        address: workload.hostNetwork
          ? nodeAddress(node)
          : podAddress(node, Math.floor(number / nodes.length)),
      };
    }
}

function podName({ kind, name, labels }: PlannedWorkload, replica: number, number: number): string {
  if (kind === "StatefulSet") return `${name}-${replica}`;
  const hash = labels["pod-template-hash"];
  // Looks like chance, and never repeats: the factor has no divisor in common with the number of suffixes.
  const suffix = letters(number * 7_368_787, 5);
  return `${name}${hash === undefined ? "" : `-${hash}`}-${suffix}`;
}

/** As many as ten thousand has binary digits. */
export const shardCount = 14;

export const shardLabel = (digit: number): string => `shard-${digit}`;

/** One label for each binary digit of the pod's number: no two pods have all of them in common. */
function shardLabels(number: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: shardCount }, (_, digit) => [shardLabel(digit), String((number >> digit) & 1)]),
  );
}
