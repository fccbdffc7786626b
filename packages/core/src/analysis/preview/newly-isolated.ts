import type { Engine } from "../../engine/index.js";
import type { Pod } from "../../cluster/model.js";
import { podKey } from "../../cluster/model.js";
import type { Direction, Isolation, TierName } from "../../policy/model.js";
import { type Grain, type Party, partiesOfPods } from "../endpoints/party.js";

/** Pods that were not isolated in a direction, and now are, by the same policies (S1.2). */
export interface NewlyIsolated {
  readonly direction: Direction;
  readonly tier: TierName;
  readonly by: readonly Isolation[];
  readonly parties: readonly Party[];
  readonly pods: number;
}

export function newlyIsolated(before: Engine, after: Engine, grain: Grain): readonly NewlyIsolated[] {
  const known = new Set<string>();
  for (const { direction, classes } of before.isolated())
    for (const { pods } of classes) for (const pod of pods) known.add(`${direction} ${podKey(pod)}`);
  const isNew = (direction: Direction) => (pod: Pod) =>
    before.cluster.pods.has(podKey(pod)) && !known.has(`${direction} ${podKey(pod)}`);
  return Array.from(after.isolated(), ({ direction, tier, isolation, classes }) => {
    const pods = classes.flatMap((end) => end.pods.filter(isNew(direction)));
    return { direction, tier, by: isolation, parties: partiesOfPods(pods, grain), pods: pods.length };
  }).filter(({ pods }) => pods > 0);
}
