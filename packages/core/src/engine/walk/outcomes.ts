import { PairMemo } from "../../sets/pair-memo.js";
import { everyPort, noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";

/*
 * What a tier says about one pair of classes, for all ports at once: the ports it allows and those it denies; what is in
 * neither goes on to the next tier. Each outcome is held once and known by a number.
 */

export type OutcomeId = number;

export const silent: OutcomeId = 0;
/** A fact that is not known may decide: such pairs are left to the literal evaluator. */
export const uncertain: OutcomeId = 1;
/** S9.3: Undecided on every port, whatever else is known. Only the first tier says so, and nothing comes after it. */
export const undecided: OutcomeId = 2;

/** Whether an outcome is the ports that it allows and denies, and nothing more. */
export const isSettled = (outcome: OutcomeId): boolean => outcome !== uncertain && outcome !== undecided;

export class Outcomes {
  private readonly ids = new Map<number, OutcomeId>();
  private readonly composed = new PairMemo((first, second) => this.computeComposed(first, second));
  readonly allows: PortSetId[] = [];
  readonly denies: PortSetId[] = [];
  /** Whether nothing is left for the next tier: 1 or 0. */
  isFinal = new Uint8Array(1024);

  constructor(readonly ports: PortSets) {
    this.of(noPorts, noPorts);
    for (const open of [uncertain, undecided]) {
      this.isFinal[open] = 1;
      this.allows[open] = noPorts;
      this.denies[open] = noPorts;
    }
  }

  of(allow: PortSetId, deny: PortSetId): OutcomeId {
    const key = allow * 0x4000000 + deny;
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const id = this.allows.push(allow) - 1;
    this.denies.push(deny);
    if (id >= this.isFinal.length) {
      const longer = new Uint8Array(2 * this.isFinal.length);
      longer.set(this.isFinal);
      this.isFinal = longer;
    }
    this.isFinal[id] = this.ports.union(allow, deny) === everyPort ? 1 : 0;
    this.ids.set(key, id);
    return id;
  }

  /** S1.1, S1.3: the second tier applies to what the first left open. */
  compose(first: OutcomeId, second: OutcomeId): OutcomeId {
    if (second === silent || this.isFinal[first] === 1) return first;
    if (first === silent) return second;
    if (second === uncertain) return uncertain;
    return this.composed.of(first, second);
  }

  private computeComposed(first: OutcomeId, second: OutcomeId): OutcomeId {
    const [a1, d1] = [this.allows[first]!, this.denies[first]!];
    const [a2, d2] = [this.allows[second]!, this.denies[second]!];
    const { ports } = this;
    const allow = ports.union(a1, ports.subtract(a2, d1));
    const deny = ports.union(d1, ports.subtract(d2, a1));
    return this.of(allow, deny);
  }
}

/** S1.3: adds what a tier says about what the tiers before left open; about the i-th it is in `said`, at `at[i]` or i. */
export function composeAll(
  outcomes: Outcomes,
  all: Uint32Array,
  said: Uint32Array,
  at?: ArrayLike<number>,
): void {
  for (let i = 0; i < all.length; i++) {
    const first = all[i]!;
    if (outcomes.isFinal[first] === 1) continue;
    const second = said[at === undefined ? i : at[i]!]!;
    if (second === silent) continue;
    all[i] = first === silent ? second : outcomes.compose(first, second);
  }
}
