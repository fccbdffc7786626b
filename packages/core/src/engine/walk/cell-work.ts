import { type ColumnMembership, isNone } from "../../sets/column-membership.js";
import { type OutcomeId, silent, uncertain, undecided } from "../compile/outcomes.js";
import type { PortAtoms } from "../compile/port-atoms.js";
import type { Effect, Item } from "../compile/rule-items.js";

/** What the rules of a row say, one after the other. */
export interface CellItems {
  readonly items: readonly Item[];
  /** Of their sets: most do not hold the column, which shows without looking at the item itself. */
  readonly sets: Uint32Array;
}

export function cellItems(items: readonly Item[]): CellItems {
  const sets = new Uint32Array(items.length);
  for (let i = 0; i < sets.length; i++) sets[i] = items[i]!.set.id;
  return { items, sets };
}

/** Goes through the rules of a row for one column, one after the other; RowWork does the same for all at once. */
export class CellWork {
  private open = new Uint32Array(1);
  private allow = new Uint32Array(1);
  private deny = new Uint32Array(1);
  /** As in RowWork. */
  private unsettled: OutcomeId = silent;

  begin(width: number): void {
    if (this.open.length < width) {
      this.open = new Uint32Array(width);
      this.allow = new Uint32Array(width);
      this.deny = new Uint32Array(width);
    }
    this.open.fill(0xffffffff);
    this.allow.fill(0);
    this.deny.fill(0);
    this.unsettled = silent;
  }

  takeAll({ items, sets }: CellItems, membership: ColumnMembership, atoms: PortAtoms): void {
    const { known } = membership;
    for (let i = 0; i < sets.length; i++) {
      if (known[sets[i]!] === isNone) continue;
      const { set, ports, effect } = items[i]!;
      if (membership.isIn(set) && this.take(atoms.mask(ports), effect)) return;
    }
  }

  /** S1.1; says whether nothing is left to take. */
  take(mask: Uint32Array, effect: Effect): boolean {
    let left = 0;
    for (let w = 0; w < mask.length; w++) {
      const taken = this.open[w]! & mask[w]!;
      this.open[w]! ^= taken;
      left |= this.open[w]!;
      if (taken === 0) continue;
      if (effect === "Allow") this.allow[w]! |= taken;
      else if (effect === "Deny") this.deny[w]! |= taken;
      else if (effect === "Maybe") this.unsettled = uncertain;
      else if (effect === "Undecided") this.unsettled = undecided;
    }
    return left === 0;
  }

  // S1.2, S1.3
  finish(isolated: boolean, atoms: PortAtoms): OutcomeId {
    if (this.unsettled !== silent) return this.unsettled;
    if (isolated) for (let w = 0; w < atoms.width; w++) this.deny[w]! |= this.open[w]!;
    return atoms.outcome(this.allow, this.deny, 0);
  }
}
