import { markField } from "../ruleset/connection-mark.js";
import type { Conntrack } from "./conntrack.js";
import { done, type Outcome } from "./outcome.js";
import type { TableState } from "./table-state.js";

/** Gives out generations, each one once until the marks of all connections were cleared. */
export class Generations {
  #spent: number | undefined;
  #sequence = 0;

  constructor(
    readonly conntrack: Conntrack,
    readonly mask: number,
  ) {}

  /** Takes up what a table in the kernel says. */
  follow({ sequence, spent }: TableState): void {
    if (sequence < this.#sequence) return;
    this.#sequence = sequence;
    this.#spent = spent;
  }

  sequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  get spent(): number {
    return this.#spent ?? 0;
  }

  async next(): Promise<Outcome<number>> {
    // Without a table nobody knows what the marks in the kernel mean; past the last one they would mean two things.
    if (this.#spent === undefined || this.#spent >= markField(this.mask).generations) {
      const cleared = await this.conntrack.clearMarks(this.mask);
      if (!cleared.ok) return cleared;
      this.#spent = 0;
    }
    this.#spent += 1;
    return done(this.#spent);
  }

  /** After this a connection carries nothing of ours. */
  async forget(): Promise<Outcome<void>> {
    this.#spent = undefined;
    return this.conntrack.clearMarks(this.mask);
  }
}
