import type { Direction } from "../../policy/model.js";
import type { Layer } from "./layer.js";

/** S1.3: a tier matters only to pods for which the tiers before it leave something open. */
export class TierReach {
  /** By class: how many tiers it gets to. */
  private readonly depths: number[] = [];
  /** By tier: whether a later tier applies to a pod's own node, which isolation never does (S1.6). */
  private readonly bindsLater: readonly boolean[];

  constructor(
    private readonly layers: readonly Layer[],
    direction: Direction,
    podClasses: readonly number[],
  ) {
    const binds = ({ tier }: Layer) => tier.rules.some((rule) => rule.bindsOwnNode);
    this.bindsLater = layers.map((_, i) => direction === "ingress" && layers.slice(i + 1).some(binds));
    for (const index of podClasses) this.add(index);
  }

  add(index: number): void {
    const { layers, bindsLater } = this;
    let depth = 0;
    let isOpen = true;
    while (isOpen && depth < layers.length) {
      const { rows, inside } = layers[depth]!;
      const row = rows.rowOf[index]!;
      isOpen = bindsLater[depth]! || !inside.closes(row);
      depth++;
    }
    this.depths[index] = depth;
  }

  /** The rows of a tier that some class of pods gets to. */
  rowsAt(tier: number): ReadonlySet<number> {
    const { rowOf } = this.layers[tier]!.rows;
    const found = new Set<number>();
    this.depths.forEach((depth, index) => {
      if (depth > tier) found.add(rowOf[index]!);
    });
    return found;
  }

  /** S1.4: hosts have no policies, and get nowhere. */
  depthOf(index: number): number {
    return this.depths[index] ?? 0;
  }
}
