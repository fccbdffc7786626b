import type { Shown, StateFeed } from "./feed.js";
import { Reading } from "./reading.js";

/** The current state, its revision, and the listeners that are called when it changes. */
export class CurrentState {
  private readonly listeners = new Set<() => void>();
  /** Different in each run, so that a revision of an earlier run is never taken for one of this run. */
  private readonly run = Date.now().toString(36);
  private changes = 1;
  private starting: Promise<void> | undefined;
  private current: { readonly shown: Shown; readonly reading: Reading } | undefined;

  constructor(private readonly feed: StateFeed) {}

  /** Resolves once there is a state. */
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

  /** Returns a function that ends it. */
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
