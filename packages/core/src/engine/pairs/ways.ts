import type { EndGroup } from "./end-groups.js";
import type { EndClass } from "../classes/ends.js";
import type { Layer } from "../compile/layer.js";

/** Which pods walk through the tiers of a direction in the same way: the same rules apply to them in each. */
export interface Ways {
  /** By pod. */
  readonly wayOf: Uint32Array;
  /** By way, a class that goes it. */
  readonly firsts: readonly EndClass[];
}

export function waysThrough(layers: readonly Layer[], pods: readonly EndGroup[]): Ways {
  const numbers = new Map<string, number>();
  const firsts: EndClass[] = [];
  const wayOf = Uint32Array.from(pods, ({ classes: [first] }) => {
    const key = layers.map(({ rows }) => rows.rowOf[first!.index]).join();
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, firsts.length);
    return firsts.push(first!) - 1;
  });
  return { wayOf, firsts };
}
