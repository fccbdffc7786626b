import type { Literal } from "./literal.js";

/* What a solver is asked, and what it answers. */

export type Answer = "satisfiable" | "unsatisfiable" | "budget-exhausted";

export interface Budget {
  /** Conflicts of this call. */
  readonly conflicts?: number;
  /** As `Date.now()` reports time. */
  readonly deadline?: number;
}

/** By literal: 1 true, -1 false, 0 or absent where it does not matter. */
export type Model = Int8Array;

export interface Hints {
  /** A core names these in place of the assumptions that imply them. As a set or as keys of a map. */
  readonly leaves?: Pick<ReadonlySet<Literal>, "has">;
  /**
   * The first decisions after the assumptions, in this order. So a model satisfies each of them that can be satisfied together with
   * those before it that are: one is false only where it follows from them (Giunchiglia and Maratea, 2006).
   */
  readonly preferences?: readonly Literal[];
}

/** Hears of all clauses. Learned and deleted ones are a DRUP proof of what is unsatisfiable. */
export interface ProofTrace {
  readonly given: (clause: readonly Literal[]) => void;
  readonly learned: (clause: readonly Literal[]) => void;
  readonly deleted: (clause: readonly Literal[]) => void;
}
