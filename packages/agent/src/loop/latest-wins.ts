/** How long to wait before a failed turn is tried again; the last one goes on for ever. */
const defaultDelays: readonly number[] = [250, 1_000, 4_000, 15_000, 30_000];

interface LatestWinsOptions<T> {
  /** What waits, and what came now: one value for the next turn. */
  readonly merge: (waiting: T, next: T) => T;
  /** Called for each turn that failed, with the milliseconds until the next try. */
  readonly onFailure: (cause: unknown, retryIn: number) => void;
  readonly delays?: readonly number[];
}

/**
 * Works on what was given last, one turn at a time. What comes during a turn is merged and waits for its end; a turn that
 * failed is tried again, later and later, or at once when something newer comes.
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

  /** Resolves when nothing is left to do but to wait for a retry. */
  offer(value: T): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#waiting = { value: this.#waiting ? this.options.merge(this.#waiting.value, value) : value };
    clearTimeout(this.#retry);
    this.#running ??= this.#turns();
    return this.#running;
  }

  /** Lets the turn that runs come to its end, and begins no other. */
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
