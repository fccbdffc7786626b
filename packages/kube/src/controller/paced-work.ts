/** Milliseconds from a stir to the work: what comes together is looked at together. */
const quiet = 50;

/** How long it rests, in times of what the work took: less where somebody waits for it. */
const rests = { soon: 1, sometime: 4 } as const;
type When = keyof typeof rests;

/** Does something after it was stirred; the longer it takes, the more rarely, so that there is time for others. */
export class PacedWork {
  private timer: { readonly handle: NodeJS.Timeout; readonly at: number } | undefined;
  private running: Promise<void> | undefined;
  /** Stirred while it worked. */
  private next: When | undefined;
  private last = { ended: Number.NEGATIVE_INFINITY, took: 0 };
  private isStopped = false;

  constructor(private readonly work: () => Promise<void>) {}

  /** Resolves when it does nothing. */
  async idle(): Promise<void> {
    await this.running;
  }

  stir(when: When): void {
    if (this.isStopped) return;
    if (this.running !== undefined) {
      if (this.next !== "soon") this.next = when;
      return;
    }
    const now = performance.now();
    const at = Math.max(now + quiet, this.last.ended + this.last.took * rests[when]);
    if (this.timer !== undefined && this.timer.at <= at) return;
    clearTimeout(this.timer?.handle);
    this.timer = { at, handle: setTimeout(() => void (this.running = this.begin()), at - now) };
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer?.handle);
  }

  private async begin(): Promise<void> {
    this.timer = undefined;
    const began = performance.now();
    await this.work();
    const ended = performance.now();
    this.last = { ended, took: ended - began };
    const { next } = this;
    this.running = this.next = undefined;
    if (next !== undefined) this.stir(next);
  }
}
