/** How much one pod may have going on at a time, so that none can use up what is there for all. */
export const mostQueriesPerPod = 200;
export const mostConnectionsPerPod = 64;

/** Counts what is open by pod, up to a limit. */
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
