import type { Direction } from "../../policy/model.js";
import { FALSE, type Literal, not } from "../sat/index.js";
import type { Formula } from "./formula.js";

export type End = "source" | "destination";
export const ends = ["source", "destination"] as const;
export const otherEnd = (end: End): End => (end === "source" ? "destination" : "source");
/** Whose policies are walked. */
export const endOf = (direction: Direction): End => (direction === "egress" ? "source" : "destination");

/** What an end has for one label key: nothing, one of the mentioned values, or a value that nothing mentions. */
class LabelValue {
  readonly values = new Map<string, Literal>();
  private readonly bits: Literal[] = [];

  constructor(
    private readonly formula: Formula,
    readonly present: Literal,
  ) {}

  /**
   * At most one value: each has a number, and implies the bits of it. Two values disagree on a bit. That takes n log n clauses,
   * where naming all pairs takes n².
   */
  add(value: string): Literal {
    const { formula, bits } = this;
    const number = this.values.size;
    const literal = formula.variable();
    formula.require(not(literal), this.present);
    if (number >= 1 << bits.length) {
      const bit = formula.variable();
      for (const earlier of this.values.values()) formula.require(not(earlier), not(bit));
      bits.push(bit);
    }
    for (const [i, bit] of bits.entries())
      formula.require(not(literal), ((number >> i) & 1) === 1 ? bit : not(bit));
    this.values.set(value, literal);
    return literal;
  }
}

/** One label key at the source and the destination of a connection, and whether the two have the same value. */
export class LabelPair {
  readonly source: LabelValue;
  readonly destination: LabelValue;
  private equality: Literal | undefined;

  constructor(
    private readonly formula: Formula,
    /** Whether an end has the label; TRUE where each has it. */
    present: Readonly<Record<End, Literal>>,
    /** Whether a label can have this value. */
    private readonly isPossible: (value: string) => boolean,
    /** Where this holds, the ends have the same labels: they are in one namespace. */
    private readonly shared: Literal = FALSE,
  ) {
    this.source = new LabelValue(formula, present.source);
    this.destination = new LabelValue(formula, present.destination);
    formula.require(not(shared), not(present.source), present.destination);
    formula.require(not(shared), present.source, not(present.destination));
  }

  present(end: End): Literal {
    return this[end].present;
  }

  is(end: End, value: string): Literal {
    const known = this[end].values.get(value);
    if (known !== undefined) return known;
    if (!this.isPossible(value)) return FALSE;
    const [a, b] = [this.source.add(value), this.destination.add(value)];
    this.formula.require(not(this.shared), not(a), b);
    this.formula.require(not(this.shared), a, not(b));
    if (this.equality !== undefined) this.tie(this.equality, a, b);
    return this[end].values.get(value)!;
  }

  /** Both endpoints have the label, with the same value. Two values that nothing mentions may be the same or not. */
  equal(): Literal {
    if (this.equality !== undefined) return this.equality;
    const { formula, shared, source, destination } = this;
    const equal = (this.equality = formula.variable());
    formula.require(not(equal), source.present);
    formula.require(not(equal), destination.present);
    formula.require(not(shared), not(source.present), equal);
    for (const [value, literal] of source.values) this.tie(equal, literal, destination.values.get(value)!);
    return equal;
  }

  /** Whether two values that nothing mentions are the same in a model. */
  isSame(isTrue: (literal: Literal) => boolean): boolean {
    return isTrue(this.shared) || (this.equality !== undefined && isTrue(this.equality));
  }

  /** Whether one end can have the label, or not, whatever the other end has: nothing else follows from it in a model. */
  isIndependent(isTrue: (literal: Literal) => boolean): boolean {
    return !isTrue(this.shared);
  }

  private tie(equal: Literal, a: Literal, b: Literal): void {
    this.formula.require(not(equal), not(a), b);
    this.formula.require(not(equal), a, not(b));
    this.formula.require(equal, not(a), not(b));
  }
}
