import { type Address, formatAddress, type Inventory } from "@tierwall/core/model";

/**
 * How long pods of this node have an address and no rules: from the moment a pod was seen with the address to the moment
 * the kernel holds its rules. In between it is an unknown pod.
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
   * The kernel now holds a state that was seen; returns how long each new pod of it waited, in milliseconds. Pods that the
   * kernel held already, because an agent before this one had put them there, did not wait at all.
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
 * A pod that comes back by the same name has other addresses, and a pod by another name may get old ones. All of them together
 * are one pod: most have an address of each family.
 */
const keyOf = (pod: string, addresses: readonly Address[]): string =>
  [pod, ...addresses.map(formatAddress)].join(" ");
