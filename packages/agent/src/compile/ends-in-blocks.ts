import { type Cidr, formatCidr } from "@tierwall/core/model";
import type { End } from "./ends.js";

/** Finds ends by the blocks around them. */
export class EndsInBlocks {
  private readonly byBlock = new Map<string, End[]>();

  constructor(ends: Iterable<End>) {
    for (const end of ends)
      for (const block of end.blocks.split(",")) {
        const known = this.byBlock.get(block);
        if (known === undefined) this.byBlock.set(block, [end]);
        else known.push(end);
      }
  }

  /** Each of them once. */
  inAnyOf(blocks: readonly Cidr[]): Iterable<End> {
    return new Set(blocks.flatMap((block) => this.byBlock.get(formatCidr(block)) ?? []));
  }
}
