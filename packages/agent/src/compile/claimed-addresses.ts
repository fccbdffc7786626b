import type { Address } from "@tierwall/core/model";
import type { EndRange } from "./ends.js";

/** Addresses inside of ranges of one family that do not overlap. */
export class ClaimedAddresses {
  private readonly firsts: readonly bigint[];

  /** In ascending order. */
  constructor(private readonly ranges: readonly EndRange[]) {
    this.firsts = ranges.map(({ first }) => first);
  }

  has({ value }: Address): boolean {
    let low = 0;
    let high = this.firsts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.firsts[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    return low > 0 && value <= this.ranges[low - 1]!.last;
  }
}
