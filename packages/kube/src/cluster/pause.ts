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

/** Something that goes on until it is stopped. */
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

/** Ends early, and without a word, when there is nothing to wait for any more. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
}
