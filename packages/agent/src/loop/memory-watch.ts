/** What the agent needs at 10,000 pods. Less is not reported. */
const expectedBytes = 250 * 1024 * 1024;

/** Warns when the process uses more memory than expected, and again each time that has grown by half. */
export class MemoryWatch {
  #next = expectedBytes;

  constructor(
    private readonly warn: (megabytes: number) => void,
    private readonly resident: () => number = () => process.memoryUsage.rss(),
  ) {}

  check(): void {
    const bytes = this.resident();
    if (bytes < this.#next) return;
    this.warn(Math.round(bytes / 1024 / 1024));
    this.#next = bytes * 1.5;
  }
}
