/** Milliseconds from the first stir to the work: what comes together is looked at together. */
const quiet = 50;

/** Does something after it was stirred; the longer it takes, the more rarely, so that most of the time is for others. */
export class PacedWork {
  private timer: NodeJS.Timeout | undefined;
  private restUntil = 0;
  private isStopped = false;

  constructor(
    private readonly work: () => void,
    /** What part of the time it may take. */
    private readonly share = 0.2,
  ) {}

  stir(): void {
    if (this.timer !== undefined || this.isStopped) return;
    const wait = Math.max(quiet, this.restUntil - performance.now());
    this.timer = setTimeout(() => this.begin(), wait);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private begin(): void {
    this.timer = undefined;
    const began = performance.now();
    this.work();
    const ended = performance.now();
    this.restUntil = ended + (ended - began) * (1 / this.share - 1);
  }
}
