import type { Family } from "../../net/address.js";
import type { Direction, Isolation, Rule, TierName } from "../../policy/model.js";
import { type EndClass, sizeOf } from "../classes/ends.js";
import { canTalk } from "../classes/talking.js";
import { type Field, type User, UseSweep } from "./use-sweep.js";
import { InsideWeights } from "./use-weights.js";
import type { View } from "../compile/view.js";

/** How much one rule, or one who isolates, decides: the ports that are still open when its turn comes. */
export interface Use {
  readonly direction: Direction;
  /** Undefined where no tier had anything to say. */
  readonly tier: TierName | undefined;
  readonly by:
    | { readonly kind: "rule"; readonly rule: Rule }
    | { readonly kind: "isolation"; readonly isolation: Isolation }
    | { readonly kind: "default" | "own-node" };
  /**
   * Ordered pairs of pods and hosts of which it decides at least one port, in each address family by itself. A rule that
   * passes decides what it keeps from the rules behind it.
   */
  readonly pairs: number;
  /** Pairs of which it may do so, if facts that are not known are so. */
  readonly possibly: number;
  /** Whether it does so for some pod and some external address. */
  readonly external: "surely" | "possibly" | "never";
}

type Count = { -readonly [K in keyof Use]: Use[K] };

/** Collects from one view after the other. */
export class RuleUses {
  private readonly counts = new Map<unknown, Count>();
  private readonly rest = { egress: new Map<string, Count>(), ingress: new Map<string, Count>() };

  /** All rules and isolation of the view's tiers, and what is left for the default; before anything is counted. */
  constructor({ layers }: View) {
    for (const direction of ["egress", "ingress"] as const) {
      const nothing = { direction, pairs: 0, possibly: 0, external: "never" } as const;
      for (const { tier } of layers[direction]) {
        const of = { ...nothing, tier: tier.name };
        for (const rule of tier.rules) this.counts.set(rule, { ...of, by: { kind: "rule", rule } });
        for (const isolation of tier.isolation)
          this.counts.set(isolation, { ...of, by: { kind: "isolation", isolation } });
      }
      for (const kind of direction === "egress" ? (["default"] as const) : (["default", "own-node"] as const))
        this.rest[direction].set(kind, { ...nothing, tier: undefined, by: { kind } });
    }
  }

  all(): readonly Use[] {
    return [...this.counts.values(), ...this.rest.egress.values(), ...this.rest.ingress.values()];
  }

  addInside(view: View): void {
    const weights = new InsideWeights(view.ends, view.family);
    const field: Field = {
      columns: view.ends.columns,
      isOwn: (column) => view.ends.isOwnColumn[column]!,
      tableOf: ({ inside }) => inside,
      weightsOf: (subjects) => weights.of(subjects),
    };
    this.sweep(view, field, podsOf(view), (count, pairs, possibly) => {
      count.pairs += pairs;
      count.possibly += possibly;
    });
  }

  addOutside(view: View, family: Family): void {
    const { atoms } = view.ends.vocabulary;
    const [from, to] = atoms.rangeOf({ family, first: 0n, prefix: 0 });
    const byColumn = new Float64Array(atoms.count).fill(1, from, to);
    const field: Field = {
      columns: atoms.count,
      isOwn: () => false,
      tableOf: ({ outside }) => outside,
      weightsOf: () => ({ byColumn, unplaced: new Map() }),
    };
    const subjects = podsOf(view).filter(({ families }) => canTalk(family, families, [family]));
    this.sweep(view, field, subjects, (count, pairs) => {
      if (pairs > 0) count.external = "surely";
      else if (count.external === "never") count.external = "possibly";
    });
  }

  private sweep(
    view: View,
    field: Field,
    subjects: readonly EndClass[],
    add: (count: Count, pairs: number, possibly: number) => void,
  ): void {
    for (const direction of ["egress", "ingress"] as const) {
      const tell = (user: User, pairs: number, possibly: number) => {
        for (const count of this.countsOf(direction, user)) add(count, pairs, possibly);
      };
      new UseSweep(direction, view.layers[direction], view.answers.ports, field, tell).run(subjects);
    }
  }

  private countsOf(direction: Direction, user: User): readonly Count[] {
    switch (user.kind) {
      case "rule":
        return [this.counts.get(user.rule)!];
      case "isolation":
        return user.row.isolation.map((entry) => this.counts.get(entry)!);
      case "default":
      case "own-node":
        return [this.rest[direction].get(user.kind)!];
    }
  }
}

const podsOf = ({ ends }: View): readonly EndClass[] =>
  ends.classes.filter((end) => end.kind === "pod" && sizeOf(end) > 0);
