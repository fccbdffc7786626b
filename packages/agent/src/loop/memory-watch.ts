/** What the agent may take at 10,000 pods; below that, growth is no news. */
const expectedBytes = 250 * 1024 * 1024;

/** Says when the process takes more memory than it should, and again each time that has grown by half. */
export class MemoryWatch {
  #next = expectedBytes;

  constructor(
    private readonly warn: (megabytes: number) => void,
    private readonly resident: () => number = () => process.memoryUsage.rss(),
  ) {}

  look(): void {
    const bytes = this.resident();
    if (bytes < this.#next) return;
    this.warn(Math.round(bytes / 1024 / 1024));
    this.#next = bytes * 1.5;
  }
}
