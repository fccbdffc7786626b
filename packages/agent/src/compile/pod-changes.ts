import type { Pod } from "@tierwall/core/model";

export interface PodChanges {
  readonly come: readonly Pod[];
  readonly gone: readonly Pod[];
}

/** Finds out which pods are others than last time. Pods that did not change are the same objects. */
export class PodWatch {
  private pods: ReadonlyMap<string, Pod> = new Map();

  update(pods: ReadonlyMap<string, Pod>): PodChanges {
    if (pods === this.pods) return { come: [], gone: [] };
    const come = new Set<Pod>();
    const gone = new Set<Pod>();
    // Those who stay mostly do so in their order: side by side nobody has to be looked up.
    const before = this.pods.values();
    const next = (): Pod | undefined => before.next().value;
    let old = next();
    for (const pod of pods.values()) {
      if (old !== pod && old !== undefined) {
        gone.add(old);
        old = next();
        if (old !== pod) {
          come.add(pod);
          continue;
        }
      } else if (old === undefined) come.add(pod);
      old = next();
    }
    for (; old !== undefined; old = next()) gone.add(old);
    for (const pod of come) if (gone.delete(pod)) come.delete(pod);
    this.pods = pods;
    return { come: [...come], gone: [...gone] };
  }
}
