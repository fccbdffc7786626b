import { listDifference } from "@tierwall/core/engine";
import type { Pod } from "@tierwall/core/model";

export interface PodChanges {
  readonly come: readonly Pod[];
  readonly gone: readonly Pod[];
}

export const noPodChanges: PodChanges = { come: [], gone: [] };

/** Finds which pods changed since the last call. Pods that did not change are the same objects. */
export class PodWatch {
  private pods: ReadonlyMap<string, Pod> = new Map();
  private list: readonly Pod[] = [];

  update(pods: ReadonlyMap<string, Pod>): PodChanges {
    if (pods === this.pods) return noPodChanges;
    const before = this.list;
    this.pods = pods;
    this.list = [...pods.values()];
    return listDifference(before, this.list);
  }
}
