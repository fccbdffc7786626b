/** Reports a few messages a minute and counts the others: a client must not be able to fill the log. */
export class SeldomReport {
  private windowEnds = Number.NEGATIVE_INFINITY;
  private left = 0;
  private omitted = 0;

  constructor(
    private readonly onReport: (message: string) => void,
    private readonly most = 5,
    private readonly window = 60_000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  report(message: string): void {
    const now = this.now();
    if (now >= this.windowEnds) {
      this.windowEnds = now + this.window;
      this.left = this.most;
    }
    if (this.left === 0) {
      this.omitted++;
      return;
    }
    this.left--;
    const { omitted } = this;
    this.omitted = 0;
    this.onReport(
      omitted === 0 ? message : `${message} (${omitted} more messages were omitted before this one)`,
    );
  }
}
