import { getOrInsert } from "../../collections/maps.js";
import type { Cluster } from "../../cluster/model.js";
import { flowAt, type Lane, type WitnessCell } from "../../engine/index.js";
import type { Direction, PolicyRef, Rule } from "../../policy/model.js";
import type { Intent, Override } from "./override.js";

interface Count {
  pairs: number;
  external: boolean;
}

/** Counts what is overridden, by policy, direction and intent. */
export class OverrideCounts {
  private readonly byPolicy = new Map<PolicyRef, Map<string, Entry>>();

  constructor(private readonly cluster: Cluster) {}

  add(
    policy: PolicyRef,
    intent: Intent,
    { field, direction, pairs }: Lane,
    cell: number,
    rules: readonly Rule[],
    witness: (rule: Rule) => WitnessCell,
  ): void {
    const entries = getOrInsert(this.byPolicy, policy, () => new Map<string, Entry>());
    const key = `${direction} ${intent}`;
    const entry = getOrInsert(entries, key, () => ({ direction, intent, total: nothing(), by: new Map() }));
    const count = (of: Count) => {
      if (field.kind === "outside") of.external = true;
      else of.pairs += pairs[cell]!;
    };
    count(entry.total);
    for (const rule of rules)
      count(getOrInsert(entry.by, rule, () => ({ ...nothing(), witness: witness(rule) })));
  }

  all(): readonly Override[] {
    return [...this.byPolicy].flatMap(([policy, entries]) =>
      [...entries.values()].map(({ direction, intent, total, by }) => ({
        policy,
        direction,
        intent,
        ...total,
        by: [...by]
          .toSorted(([, a], [, b]) => b.pairs - a.pairs)
          .map(([rule, { pairs, external, witness }]) => ({
            rule,
            pairs,
            external,
            example: () => flowAt(witness, this.cluster),
          })),
      })),
    );
  }
}

interface Entry {
  readonly direction: Direction;
  readonly intent: Intent;
  readonly total: Count;
  readonly by: Map<Rule, Count & { readonly witness: WitnessCell }>;
}

const nothing = (): Count => ({ pairs: 0, external: false });
