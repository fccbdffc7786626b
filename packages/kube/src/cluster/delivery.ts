export interface DeliveryTimes {
  /** Milliseconds to wait for more after a change. */
  readonly quiet: number;
  /** Milliseconds from the first change after which nothing more is waited for. */
  readonly longest: number;
}

/** Short: what comes while a call runs is batched by that alone. */
export const usualDelivery: DeliveryTimes = { quiet: 5, longest: 40 };

/** Calls somebody soon after something stirred: once for many changes, and never while the last call still runs. */
export class Delivery {
  private timer: NodeJS.Timeout | undefined;
  /** When the first change since the last call was seen. */
  private since: number | undefined;
  private running: Promise<void> | undefined;
  private isStopped = false;

  constructor(
    private readonly deliver: (since: number) => Promise<void> | void,
    private readonly times: DeliveryTimes = usualDelivery,
  ) {}

  stir(): void {
    if (this.isStopped) return;
    const now = performance.now();
    this.since ??= now;
    if (this.running !== undefined) return;
    clearTimeout(this.timer);
    const wait = Math.min(now + this.times.quiet, this.since + this.times.longest) - now;
    this.timer = setTimeout(() => this.begin(), Math.max(0, wait));
  }

  /** After what is under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private begin(): void {
    const { since } = this;
    if (since === undefined || this.isStopped) return;
    this.since = undefined;
    this.running = this.call(since);
  }

  private async call(since: number): Promise<void> {
    try {
      await this.deliver(since);
    } finally {
      this.running = undefined;
      // What came meanwhile has waited long enough.
      this.begin();
    }
  }
}
