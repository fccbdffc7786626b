import { isStamped, markField } from "../ruleset/connection-mark.js";
import type { Conntrack } from "./conntrack.js";
import { done, type Outcome } from "./outcome.js";
import type { TableState } from "./table-state.js";

/**
 * Assigns generations, each only once until the marks of all connections are cleared.
 *
 *     1 … last      connections are stamped with them
 *     last + n      there are too many connections to clear at once: these stamp nothing, so that cleared marks stay clear
 *     1 …           all marks are clear
 */
export class Generations {
  #spent: number | undefined;
  #sequence = 0;

  constructor(
    readonly conntrack: Conntrack,
    readonly mask: number,
  ) {}

  /** Continues after the state of a table in the kernel. */
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

  isStamped(generation: number): boolean {
    return isStamped(this.mask, generation);
  }

  async next(): Promise<Outcome<number>> {
    const last = markField(this.mask).generations;
    // Without a table the meaning of the marks in the kernel is unknown; after the last generation it would be ambiguous.
    if (this.#spent === undefined || this.#spent >= last) {
      const cleared = await this.clearSome();
      if (!cleared.ok) return cleared;
      this.#spent = cleared.value ? 0 : Math.max(this.#spent ?? 0, last);
    }
    this.#spent += 1;
    return done(this.#spent);
  }

  /** Clears stamps. Returns whether all are cleared. */
  clearSome(): Promise<Outcome<boolean>> {
    return this.conntrack.clearSome(markField(this.mask).judged);
  }

  /** Clears all bits of Tierwall in the marks of connections. */
  async forget(): Promise<Outcome<void>> {
    this.#spent = undefined;
    return this.conntrack.clearAll(this.mask);
  }
}
