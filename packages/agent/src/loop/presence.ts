import type { Logger } from "pino";
import type { ElementsFor, KernelTable } from "../kernel/kernel-table.js";
import { presentSet } from "../ruleset/presence.js";
import { switchOn } from "../ruleset/timed-switch.js";

/** The lines that say that an agent is there, for so many milliseconds from now. */
export const presenceFor =
  (milliseconds: number): ElementsFor =>
  ({ name, ruleset }) =>
    ruleset.sets.has(presentSet) ? switchOn(name, presentSet, milliseconds) : "";

/** Says in the kernel that the agent is there, for as long as it is (ruleset/presence.ts). */
export class Presence {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly table: Pick<KernelTable, "changeElements">,
    private readonly milliseconds: number,
    private readonly log: Pick<Logger, "warn">,
  ) {}

  /** The table that an agent before this one left may have been without one for long. */
  async begin(): Promise<void> {
    this.#timer = setInterval(() => void this.#renew(), this.milliseconds / 3).unref();
    await this.#renew();
  }

  /** What was said last holds until its time is up: an agent that is restarted meanwhile was never gone. */
  end(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const renewed = await this.table.changeElements(presenceFor(this.milliseconds));
    if (!renewed.ok)
      this.log.warn(`the agent's presence could not be renewed in the kernel: ${renewed.message}`);
  }
}
