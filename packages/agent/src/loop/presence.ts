import type { Logger } from "pino";
import type { ElementsFor, KernelTable } from "../kernel/kernel-table.js";
import { presentSet, switchOn } from "../ruleset/set-change.js";

/** The lines that mark the agent as running, for this many milliseconds from now. */
export const presenceFor =
  (milliseconds: number): ElementsFor =>
  ({ name, ruleset }) =>
    ruleset.sets.has(presentSet) ? switchOn(name, presentSet, milliseconds) : "";

/** Marks the agent as running in the kernel, for as long as it runs (ruleset/set-change.ts). */
export class Presence {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly table: Pick<KernelTable, "changeElements">,
    private readonly milliseconds: number,
    private readonly log: Pick<Logger, "warn">,
  ) {}

  /** Renews at once: the element in the table of an earlier agent may have expired. */
  async begin(): Promise<void> {
    this.#timer = setInterval(() => void this.#renew(), this.milliseconds / 3).unref();
    await this.#renew();
  }

  /** The element stays until it expires, so an agent that restarts in time is not missed. */
  end(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const renewed = await this.table.changeElements(presenceFor(this.milliseconds));
    if (!renewed.ok)
      this.log.warn(`cannot renew the element that marks the agent as running: ${renewed.message}`);
  }
}
