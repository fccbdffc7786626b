import type { Direction, Isolation, TierName } from "../../policy/model.js";
import { type EndClass, sizeOf } from "../classes/ends.js";
import type { View } from "../compile/view.js";
import { isolatingOf } from "./isolating.js";

/** Pods that the same policies isolate in a tier (S1.2). */
export interface IsolatedPods {
  readonly direction: Direction;
  readonly tier: TierName;
  /** Each policy once. */
  readonly isolation: readonly Isolation[];
  readonly classes: readonly EndClass[];
  /** How many pods. */
  readonly size: number;
}

/** Who is isolated, by direction and tier. */
export function* isolatedIn(view: View): Iterable<IsolatedPods> {
  for (const direction of ["egress", "ingress"] as const)
    for (const { tier, rows } of view.layers[direction]) {
      const found = new Map<string, { isolation: readonly Isolation[]; classes: EndClass[] }>();
      const numbers = new Map(tier.isolation.map((entry, i) => [entry, i]));
      for (const index of view.ends.podClasses) {
        const end = view.ends.classes[index]!;
        const isolation = isolatingOf(tier, rows.rows[rows.rowOf[index]!]!);
        if (isolation.length === 0 || sizeOf(end) === 0) continue;
        const key = isolation.map((entry) => numbers.get(entry)).join();
        const known = found.get(key);
        if (known === undefined) found.set(key, { isolation, classes: [end] });
        else known.classes.push(end);
      }
      for (const { isolation, classes } of found.values()) {
        const size = classes.reduce((sum, end) => sum + sizeOf(end), 0);
        yield { direction, tier: tier.name, isolation, classes, size };
      }
    }
}
