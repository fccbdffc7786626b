/** How long to wait before a failed turn is retried, in milliseconds. The last delay repeats. */
const defaultDelays: readonly number[] = [250, 1_000, 4_000, 15_000, 30_000];

interface LatestWinsOptions<T> {
  /** Merges the waiting value and a new one into one value for the next turn. */
  readonly merge: (waiting: T, next: T) => T;
  /** Called for each failed turn, with the milliseconds until the next attempt. */
  readonly onFailure: (cause: unknown, retryIn: number) => void;
  readonly delays?: readonly number[];
}

/**
 * Processes the latest value, one turn at a time. Values that arrive during a turn are merged and wait for its end. A failed
 * turn is retried with growing delays, or at once when a newer value arrives.
 */
export class LatestWins<T> {
  #waiting: { readonly value: T } | undefined;
  #running: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopped = false;

  constructor(
    private readonly work: (value: T) => Promise<void>,
    private readonly options: LatestWinsOptions<T>,
  ) {}

  /** Resolves when there is nothing left to do except waiting for a retry. */
  offer(value: T): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#waiting = { value: this.#waiting ? this.options.merge(this.#waiting.value, value) : value };
    clearTimeout(this.#retry);
    this.#running ??= this.#turns();
    return this.#running;
  }

  /** Waits for the running turn, and starts no other. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting = undefined;
    clearTimeout(this.#retry);
    await this.#running;
  }

  async #turns(): Promise<void> {
    while (this.#waiting !== undefined) {
      const { value } = this.#waiting;
      this.#waiting = undefined;
      try {
        await this.work(value);
        this.#failures = 0;
      } catch (cause) {
        if (this.#failed(value, cause) === "retry later") break;
      }
    }
    this.#running = undefined;
  }

  #failed(value: T, cause: unknown): "go on" | "retry later" {
    const delays = this.options.delays ?? defaultDelays;
    const retryIn = delays[Math.min(this.#failures++, delays.length - 1)] ?? 0;
    this.options.onFailure(cause, retryIn);
    if (this.#stopped) return "go on";
    const newer = this.#waiting;
    this.#waiting = { value: newer === undefined ? value : this.options.merge(value, newer.value) };
    if (newer !== undefined) return "go on";
    this.#retry = setTimeout(() => {
      this.#running ??= this.#turns();
    }, retryIn);
    return "retry later";
  }
}
