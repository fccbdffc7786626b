export interface DeliveryTimes {
  /** Milliseconds to wait for more after a change. */
  readonly quiet: number;
  /** Milliseconds from the first change after which nothing more is waited for. */
  readonly longest: number;
}

/** Short: changes during a call are batched anyway. */
export const usualDelivery: DeliveryTimes = { quiet: 5, longest: 40 };

/** Milliseconds before a call that failed is repeated. The last delay repeats. */
const retryDelays: readonly number[] = [250, 1_000, 4_000, 15_000, 30_000];

/**
 * The loop of everything that follows changes: calls a function soon after a change, once for many changes, and never while the last
 * call still runs. With `onFailure`, a call that fails is repeated with growing delays, or with the next change.
 */
export class Delivery {
  private timer: NodeJS.Timeout | undefined;
  /** When the first change since the last call that succeeded was seen. */
  private since: number | undefined;
  /** The shortest rest that a change since the last call asked for. */
  private rest = Number.POSITIVE_INFINITY;
  private last = { ended: Number.NEGATIVE_INFINITY, took: 0 };
  private running: Promise<void> | undefined;
  private failures = 0;
  private isStopped = false;

  constructor(
    private readonly deliver: (since: number) => Promise<void> | void,
    private readonly times: DeliveryTimes = usualDelivery,
    private readonly onFailure?: (cause: unknown, retryIn: number) => void,
  ) {}

  /** `rest`: how long to wait after the last call, in multiples of the time that it took. */
  request(rest = 0): void {
    if (this.isStopped) return;
    const since = this.note(performance.now());
    this.rest = Math.min(this.rest, rest);
    if (this.running === undefined) this.schedule(since);
  }

  /** Calls without waiting for more changes. Resolves when there is nothing left to do except to repeat what failed. */
  async now(since: number): Promise<void> {
    if (this.isStopped) return;
    this.rest = 0;
    const first = this.note(since);
    if (this.running === undefined) this.begin(first);
    while (this.running !== undefined) await this.running;
  }

  /** Resolves when no call runs. */
  async idle(): Promise<void> {
    await this.running;
  }

  /** After what is under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private note(since: number): number {
    this.since = Math.min(this.since ?? since, since);
    return this.since;
  }

  private schedule(since: number): void {
    const now = performance.now();
    const rested = this.last.ended + this.last.took * this.rest;
    const at = Math.max(Math.min(now + this.times.quiet, since + this.times.longest), rested);
    this.beginIn(Math.max(0, at - now), since);
  }

  private beginIn(milliseconds: number, since: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.begin(since), milliseconds);
  }

  private begin(since: number): void {
    clearTimeout(this.timer);
    this.running = this.call(since);
  }

  private async call(since: number): Promise<void> {
    this.since = undefined;
    this.rest = Number.POSITIVE_INFINITY;
    const began = performance.now();
    let retryIn: number | undefined;
    try {
      await this.deliver(since);
      this.failures = 0;
    } catch (cause) {
      if (this.onFailure === undefined) throw cause;
      retryIn = retryDelays[Math.min(this.failures++, retryDelays.length - 1)]!;
      this.onFailure(cause, retryIn);
    } finally {
      const ended = performance.now();
      this.last = { ended, took: ended - began };
      this.running = undefined;
      if (!this.isStopped) this.goOn(retryIn, since);
    }
  }

  private goOn(retryIn: number | undefined, failedSince: number): void {
    const isNew = this.since !== undefined;
    const next = retryIn === undefined ? this.since : this.note(failedSince);
    if (next === undefined) return;
    if (!isNew) this.beginIn(retryIn!, next);
    // What came meanwhile has waited long enough, unless a rest was asked for.
    else if (this.rest === 0) this.begin(next);
    else this.schedule(next);
  }
}
