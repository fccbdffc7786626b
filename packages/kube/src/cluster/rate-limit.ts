import { pause } from "./pause.js";

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

  /** Milliseconds until the next turn; whoever asks has taken it. */
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
