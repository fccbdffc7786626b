import { FALSE, type Literal, not, TRUE } from "../sat/index.js";
import type { Formula } from "./formula.js";

/*
 * A number in order encoding: one literal "at least b" for each bound b that is mentioned. Between two neighbouring
 * bounds nothing can distinguish two numbers. Ranges are two literals; `at least b` implies `at least a` for a < b.
 */
export class OrderedValue {
  /** In ascending order. */
  readonly bounds: bigint[] = [];
  private readonly literals: Literal[] = [];

  constructor(
    private readonly formula: Formula,
    readonly first: bigint,
    readonly last: bigint,
  ) {}

  atLeast(bound: bigint): Literal {
    if (bound <= this.first) return TRUE;
    if (bound > this.last) return FALSE;
    const at = this.positionOf(bound);
    if (this.bounds[at] === bound) return this.literals[at]!;
    const literal = this.formula.variable();
    const [below, above] = [this.literals[at - 1], this.literals[at]];
    if (below !== undefined) this.formula.require(not(literal), below);
    if (above !== undefined) this.formula.require(not(above), literal);
    this.bounds.splice(at, 0, bound);
    this.literals.splice(at, 0, literal);
    return literal;
  }

  between(first: bigint, last: bigint): Literal {
    return this.formula.and([this.atLeast(first), not(this.atLeast(last + 1n))]);
  }

  /** Whether some bounds distinguish this number from all others. */
  distinguishes(number: bigint): boolean {
    const isBound = (bound: bigint) => this.bounds[this.positionOf(bound)] === bound;
    return (number === this.first || isBound(number)) && (number === this.last || isBound(number + 1n));
  }

  /** The numbers that nothing distinguishes from the value in the present model. */
  interval(isTrue: (literal: Literal) => boolean): readonly [first: bigint, last: bigint] {
    const above = this.literals.findIndex((literal) => !isTrue(literal));
    const next = above === -1 ? this.bounds.length : above;
    return [this.bounds[next - 1] ?? this.first, (this.bounds[next] ?? this.last + 1n) - 1n];
  }

  /** That the value is one of those that nothing distinguishes from this number, so far. */
  alike(number: bigint): Literal {
    const next = this.positionOf(number + 1n);
    const [below, above] = [this.literals[next - 1] ?? TRUE, this.literals[next] ?? FALSE];
    return this.formula.and([below, not(above)]);
  }

  /** Where the bound is, or belongs. */
  private positionOf(bound: bigint): number {
    let [low, high] = [0, this.bounds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.bounds[middle]! < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
