import type { Verdict } from "@tierwall/core";
import { evaluate } from "@tierwall/core/engine";
import type { Endpoint } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";
import type { Pod } from "../generate/parsed.js";
import { narrowedTo, type Tiers } from "./narrowed.js";

/** A pod as one end of a connection, with the rules that are about it there. */
export interface End<D extends keyof Tiers> {
  readonly pod: Pod;
  readonly tiers: Tiers[D];
}

export function endsOf<D extends keyof Tiers>(
  pods: readonly Pod[],
  { cluster, tiers }: State,
  direction: D,
): readonly End<D>[] {
  return pods.map((pod) => ({ pod, tiers: narrowedTo(pod, cluster, tiers, direction) }));
}

/** What the literal evaluator says of one pair of pods, on TCP 80. */
export function literalVerdict(
  { cluster }: State,
  source: End<"egress">,
  destination: End<"ingress">,
): Verdict {
  const endpoint = (pod: Pod): Endpoint => ({
    kind: "pod",
    pod,
    namespace: cluster.namespaces.get(pod.namespace)!,
  });
  const flow = {
    source: endpoint(source.pod),
    destination: endpoint(destination.pod),
    protocol: "TCP",
    port: 80,
  } as const;
  const tiers = { egress: source.tiers, ingress: destination.tiers };
  return evaluate(cluster, tiers, { ...flow, family: 4 }).verdict;
}
