import type { Pod } from "@tierwall/core";

export interface PodChanges {
  readonly come: readonly Pod[];
  readonly gone: readonly Pod[];
}

/** Finds out which pods are others than last time. Pods that did not change are the same objects. */
export class PodWatch {
  private pods: ReadonlyMap<string, Pod> = new Map();
  private known: ReadonlySet<Pod> = new Set();

  update(pods: ReadonlyMap<string, Pod>): PodChanges {
    if (pods === this.pods) return { come: [], gone: [] };
    this.pods = pods;
    const come: Pod[] = [];
    for (const pod of pods.values()) if (!this.known.has(pod)) come.push(pod);
    if (this.known.size + come.length === pods.size && come.length === 0) return { come, gone: [] };
    const now = new Set(pods.values());
    const gone: Pod[] = [];
    if (this.known.size + come.length !== now.size)
      for (const pod of this.known) if (!now.has(pod)) gone.push(pod);
    this.known = now;
    return { come, gone };
  }
}
