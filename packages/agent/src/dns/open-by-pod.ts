/** Limits per pod, so that no pod can exhaust the resources of the proxy. */
export const mostQueriesPerPod = 200;
export const mostConnectionsPerPod = 64;

/** Counts open queries or connections per pod, up to a limit. */
export class OpenByPod {
  readonly #counts = new Map<string, number>();

  constructor(private readonly most: number) {}

  enter(pod: string): boolean {
    const count = this.#counts.get(pod) ?? 0;
    if (count >= this.most) return false;
    this.#counts.set(pod, count + 1);
    return true;
  }

  leave(pod: string): void {
    const count = (this.#counts.get(pod) ?? 0) - 1;
    if (count > 0) this.#counts.set(pod, count);
    else this.#counts.delete(pod);
  }
}
