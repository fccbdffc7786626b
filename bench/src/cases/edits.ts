import { compile } from "@tierwall/core/engine";
import { readState, type State } from "@tierwall/core/state";
import { clusterPoliciesOf, editedClusterPolicy } from "../generate/cluster-policies.js";
import type { Manifest } from "../generate/json.js";
import { editedNetworkPolicy, networkPoliciesOf } from "../generate/network-policies.js";
import { parsedState, type Pod } from "../generate/parsed.js";
import { type Plan, planCluster } from "../generate/plan.js";
import { Random } from "../generate/random.js";
import type { Shape } from "../generate/shape.js";
import { collectGarbage } from "./clock.js";
import { replacePolicy } from "./replace-policy.js";

export interface EditsInput {
  readonly shape: Shape;
  readonly seed: number;
  /** How many edits of cluster policies, which reach most of the cluster. */
  readonly clusterPolicies: number;
}

/** Milliseconds, one for each edit. */
export interface EditsResult {
  readonly networkPolicy: readonly number[];
  readonly pod: readonly number[];
  readonly podOfAnother: readonly number[];
  readonly clusterPolicy: readonly number[];
}

/** About half of all pods get a label that no policy uses, so the median of a few would depend on which they are. */
const counts = { networkPolicy: 200, pod: 400 } as const;

/** Changes one thing at a time in a compiled cluster, each time asking which pairs have changed with it. */
export function edits({ shape, seed, clusterPolicies }: EditsInput): EditsResult {
  const plan = planCluster(shape, seed);
  const state = parsedState(plan);
  const engine = compile(state.cluster, state.tiers);
  // Tables are filled by the first question: edits are measured on a cluster that is in use.
  for (const _ of engine.pairs());
  collectGarbage();
  const random = new Random(seed).fork("edits");
  let { tiers } = state;
  const timePolicies = (count: number, next: () => Manifest) =>
    times(count, () => {
      tiers = replacePolicy(tiers, readOne(next()));
      const now = tiers;
      return () => engine.update({ tiers: now });
    });
  const [written, clusterWide] = [[...networkPoliciesOf(plan)], [...clusterPoliciesOf(plan)]];
  const pods = [...state.cluster.pods.values()];
  const timePods = (edit: (pod: Pod, plan: Plan, random: Random) => Pod) =>
    times(counts.pod, () => {
      const number = random.between(0, pods.length - 1);
      const pod = edit(pods[number]!, plan, random);
      pods[number] = pod;
      const change = new Map([[`${pod.namespace}/${pod.name}`, pod]]);
      return () => engine.update({ pods: change });
    });
  return {
    networkPolicy: timePolicies(counts.networkPolicy, () => editedNetworkPolicy(plan, written, random)),
    pod: timePods(relabelled),
    podOfAnother: timePods(madeAnother),
    clusterPolicy: timePolicies(clusterPolicies, () => editedClusterPolicy(random.pick(clusterWide), random)),
  };
}

function readOne(policy: Manifest): State {
  return readState([{ file: "edited.json", text: JSON.stringify(policy) }]);
}

/** As `kubectl label --overwrite` does: one label gets a value that it has elsewhere. */
function relabelled(pod: Pod, { workloads }: Plan, random: Random): Pod {
  for (;;) {
    const { labels } = random.pick(workloads);
    const others = Object.keys(pod.labels).filter(
      (key) => (labels[key] ?? pod.labels[key]) !== pod.labels[key],
    );
    if (others.length === 0) continue;
    const key = random.pick(others);
    return { ...pod, labels: { ...pod.labels, [key]: labels[key]! } };
  }
}

/** All labels at once: those of another workload, except for its version. */
function madeAnother(pod: Pod, { workloads }: Plan, random: Random): Pod {
  const { labels } = random.pick(workloads);
  return { ...pod, labels: { ...labels, version: `v${random.between(1, 5)}` } };
}

/** Getting ready is not counted, nor are the first few, which find the code cold. */
function times(count: number, prepare: () => () => unknown): readonly number[] {
  const warmUp = Math.ceil(count / 10);
  const found = Array.from({ length: warmUp + count }, () => {
    const change = prepare();
    const start = performance.now();
    change();
    return performance.now() - start;
  });
  return found.slice(warmUp);
}
