import { setTimeout as sleep } from "node:timers/promises";

/** How long to wait before the next try: longer each time, and never in step with all others. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly firstMilliseconds: number,
    private readonly longestMilliseconds: number,
    private readonly random: () => number = Math.random,
  ) {}

  next(): number {
    const full = Math.min(this.firstMilliseconds * 2 ** this.failures++, this.longestMilliseconds);
    return full * (0.5 + this.random() / 2);
  }

  reset(): void {
    this.failures = 0;
  }
}

/** Runs until it is stopped. */
export abstract class BackgroundTask {
  protected readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  protected get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  protected abstract run(): Promise<void>;
}

/** Resolves early, without an error, when the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
}

/** So many things a second, and a few at once after a quiet time. */
export class RateLimit {
  private tokens: number;
  private counted: number;

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.tokens = burst;
    this.counted = now();
  }

  /** Resolves when it is one's turn, or when there is nothing to wait for any more. */
  async turn(signal: AbortSignal): Promise<void> {
    const wait = this.take();
    if (wait > 0) await pause(wait, signal);
  }

  /** Milliseconds until the next turn, which is then taken. */
  take(): number {
    const now = this.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.counted) * this.perSecond) / 1000);
    this.counted = now;
    this.tokens -= 1;
    return this.tokens >= 0 ? 0 : (-this.tokens * 1000) / this.perSecond;
  }

  /** For a caller that does not wait for the turn it has taken. */
  giveBack(): void {
    this.tokens += 1;
  }
}
