import type { Shown, StateFeed } from "./feed.js";

/** What there is to see now, what it is called by, and whom to tell when it is something else. */
export class CurrentState {
  private readonly listeners = new Set<() => void>();
  /** Not the same in another run: what was known of the one before is not taken for what is now. */
  private readonly run = Date.now().toString(36);
  private changes = 1;
  private starting: Promise<void> | undefined;
  private read: Shown | undefined;

  constructor(private readonly feed: StateFeed) {}

  /** Resolves once there is something to see. */
  get started(): Promise<void> {
    this.starting ??= this.feed.start(() => this.changed());
    return this.starting;
  }

  async stop(): Promise<void> {
    this.listeners.clear();
    await this.feed.stop();
  }

  get revision(): string {
    return `${this.run}-${this.changes}`;
  }

  get shown(): Shown {
    this.read ??= this.feed.shown();
    return this.read;
  }

  /** Gives back what ends it. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private changed(): void {
    this.changes++;
    this.read = undefined;
    for (const listener of this.listeners) listener();
  }
}
