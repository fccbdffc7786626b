import { type Address, formatAddress, type Inventory } from "@tierwall/core/model";

/**
 * How long pods of this node have an address and no rules: from the moment a pod is seen with the address until the kernel has
 * its rules. Until then it is an unknown pod.
 */
export class ProgrammingWindow {
  readonly #programmed = new Set<string>();
  readonly #waiting = new Map<string, number>();

  constructor(private readonly node: string) {}

  /** Local pods that the kernel does not know yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Local pods with rules in the kernel. */
  get programmed(): number {
    return this.#programmed.size;
  }

  /** A new state of the cluster was seen, its first change at `since`. */
  seen(cluster: Inventory, since: number): void {
    const local = this.#localPods(cluster);
    for (const known of [this.#programmed, this.#waiting])
      for (const key of known.keys()) if (!local.has(key)) known.delete(key);
    for (const key of local)
      if (!this.#programmed.has(key) && !this.#waiting.has(key)) this.#waiting.set(key, since);
  }

  /**
   * The kernel now has a state that was seen. Returns how long each new pod waited, in milliseconds. Pods that were already in
   * the kernel, written by an earlier agent, did not wait.
   */
  reached(cluster: Inventory, now: number, wrote: boolean): readonly number[] {
    const waited: number[] = [];
    for (const key of this.#localPods(cluster)) {
      const since = this.#waiting.get(key);
      if (since === undefined) continue;
      this.#waiting.delete(key);
      this.#programmed.add(key);
      if (wrote) waited.push(Math.max(0, now - since));
    }
    return waited;
  }

  #localPods(cluster: Inventory): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const [name, pod] of cluster.pods)
      if (pod.node === this.node && !pod.hostNetwork && pod.addresses.length > 0)
        keys.add(keyOf(name, pod.addresses));
    return keys;
  }
}

/**
 * By name and addresses: a pod that is created again has the same name and other addresses, and another pod can get its old
 * ones. All addresses of a pod are in one key, as most have one of each family.
 */
const keyOf = (pod: string, addresses: readonly Address[]): string =>
  [pod, ...addresses.map(formatAddress)].join(" ");
