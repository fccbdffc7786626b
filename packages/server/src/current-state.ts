import type { Shown, StateFeed } from "./feed.js";
import { Reading } from "./reading.js";

/** What there is to see now, what it is called by, and whom to tell when it is something else. */
export class CurrentState {
  private readonly listeners = new Set<() => void>();
  /** Not the same in another run: what was known of the one before is not taken for what is now. */
  private readonly run = Date.now().toString(36);
  private changes = 1;
  private starting: Promise<void> | undefined;
  private current: { readonly shown: Shown; readonly reading: Reading } | undefined;

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
    return this.now.shown;
  }

  get reading(): Reading {
    return this.now.reading;
  }

  /** Gives back what ends it. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private get now() {
    if (this.current === undefined) {
      const shown = this.feed.shown();
      this.current = { shown, reading: new Reading(shown) };
    }
    return this.current;
  }

  private changed(): void {
    this.changes++;
    this.current = undefined;
    for (const listener of this.listeners) listener();
  }
}
