export interface DeliveryTimes {
  /** Milliseconds to wait for more after a change. */
  readonly quiet: number;
  /** Milliseconds from the first change after which nothing more is waited for. */
  readonly longest: number;
}

/** Short: changes during a call are batched anyway. */
export const usualDelivery: DeliveryTimes = { quiet: 5, longest: 40 };

/** Calls a function soon after a change: once for many changes, and never while the last call still runs. */
export class Delivery {
  private timer: NodeJS.Timeout | undefined;
  /** When the first change since the last call was seen. */
  private since: number | undefined;
  /** The shortest rest that a change since the last call asked for. */
  private rest = Number.POSITIVE_INFINITY;
  private last = { ended: Number.NEGATIVE_INFINITY, took: 0 };
  private running: Promise<void> | undefined;
  private isStopped = false;

  constructor(
    private readonly deliver: (since: number) => Promise<void> | void,
    private readonly times: DeliveryTimes = usualDelivery,
  ) {}

  /** `rest`: how long to wait after the last call, in multiples of the time that it took. */
  request(rest = 0): void {
    if (this.isStopped) return;
    this.since ??= performance.now();
    this.rest = Math.min(this.rest, rest);
    if (this.running === undefined) this.schedule(this.since);
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

  private schedule(since: number): void {
    clearTimeout(this.timer);
    const now = performance.now();
    const rested = this.last.ended + this.last.took * this.rest;
    const at = Math.max(Math.min(now + this.times.quiet, since + this.times.longest), rested);
    this.timer = setTimeout(() => void (this.running = this.call(since)), Math.max(0, at - now));
  }

  private async call(since: number): Promise<void> {
    this.since = undefined;
    this.rest = Number.POSITIVE_INFINITY;
    const began = performance.now();
    try {
      await this.deliver(since);
    } finally {
      const ended = performance.now();
      this.last = { ended, took: ended - began };
      this.running = undefined;
      const next = this.isStopped ? undefined : this.since;
      // What came meanwhile has waited long enough, unless a rest was asked for.
      if (next !== undefined && this.rest === 0) this.running = this.call(next);
      else if (next !== undefined) this.schedule(next);
    }
  }
}
