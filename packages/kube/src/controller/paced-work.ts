/** Milliseconds from a stir to the work: what comes together is looked at together. */
const quiet = 50;

/** How long it rests, in times of what the work took: less where somebody waits for it. */
const rests = { soon: 1, sometime: 4 } as const;

/** Does something after it was stirred; the longer it takes, the more rarely, so that there is time for others. */
export class PacedWork {
  private timer: { readonly handle: NodeJS.Timeout; readonly at: number } | undefined;
  private last = { ended: Number.NEGATIVE_INFINITY, took: 0 };
  private isStopped = false;

  constructor(private readonly work: () => void) {}

  stir(when: keyof typeof rests): void {
    if (this.isStopped) return;
    const now = performance.now();
    const at = Math.max(now + quiet, this.last.ended + this.last.took * rests[when]);
    if (this.timer !== undefined && this.timer.at <= at) return;
    clearTimeout(this.timer?.handle);
    this.timer = { at, handle: setTimeout(() => this.begin(), at - now) };
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer?.handle);
  }

  private begin(): void {
    this.timer = undefined;
    const began = performance.now();
    this.work();
    const ended = performance.now();
    this.last = { ended, took: ended - began };
  }
}
