import { type OutcomeId, uncertain } from "./outcomes.js";
import type { PortAtoms } from "./port-atoms.js";
import type { Effect } from "./rule-items.js";

/** Goes through the rules of a row for one column; RowWork does the same for all. */
export class CellWork {
  private readonly open: Uint32Array;
  private readonly allow: Uint32Array;
  private readonly deny: Uint32Array;
  private isUncertain = false;

  constructor(width: number) {
    this.open = new Uint32Array(width).fill(0xffffffff);
    this.allow = new Uint32Array(width);
    this.deny = new Uint32Array(width);
  }

  // S1.1
  take(mask: Uint32Array, effect: Effect): void {
    for (let w = 0; w < mask.length; w++) {
      const taken = this.open[w]! & mask[w]!;
      if (taken === 0) continue;
      this.open[w]! ^= taken;
      if (effect === "Allow") this.allow[w]! |= taken;
      else if (effect === "Deny") this.deny[w]! |= taken;
      else if (effect === "Maybe") this.isUncertain = true;
    }
  }

  // S1.2, S1.3
  finish(isolated: boolean, atoms: PortAtoms): OutcomeId {
    if (this.isUncertain) return uncertain;
    if (isolated) for (let w = 0; w < this.deny.length; w++) this.deny[w]! |= this.open[w]!;
    return atoms.outcome(this.allow, this.deny, 0);
  }
}
