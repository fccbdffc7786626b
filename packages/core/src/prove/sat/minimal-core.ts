import type { Literal } from "./literal.js";
import type { Answer, Budget } from "./question.js";

/** Something that can be asked, and that knows which assumptions made the last answer unsatisfiable. */
export interface Solvable {
  readonly solver: { readonly core: readonly Literal[] };
  readonly solve: (assumptions: readonly Literal[], budget?: Budget) => Answer;
}

/** Assumptions that are left out one by one. */
const mostTried = 24;
/** Of more than these. A proof that rests on hundreds of rules most likely rests on each of them. */
const mostParts = 6;

/**
 * Leaves out what can be left out: each removable assumption is tried once, or where there are many, each of some parts of them. What
 * is left suffices in any case.
 */
export function minimalCore(
  formula: Solvable,
  fixed: readonly Literal[],
  removable: readonly Literal[],
  budget: Budget,
): readonly Literal[] {
  let needed = removable;
  /** Whether these suffice; then a core of them is what is needed. */
  const suffices = (fewer: readonly Literal[]): boolean => {
    if (formula.solve([...fixed, ...fewer], budget) !== "unsatisfiable") return false;
    const core = new Set(formula.solver.core);
    needed = fewer.filter((literal) => core.has(literal));
    return true;
  };
  // Another core of the same assumptions is often smaller.
  for (let before = Infinity; needed.length < before; ) {
    before = needed.length;
    if (before > mostTried) suffices(needed);
  }
  const withoutEach = (size: number): void => {
    // From the end: what comes before is assumed already.
    for (let end = needed.length; end > 0; end = Math.min(end - size, needed.length))
      suffices(needed.toSpliced(Math.max(0, end - size), Math.min(size, end)));
  };
  if (needed.length > mostTried) withoutEach(Math.ceil(needed.length / mostParts));
  if (needed.length <= mostTried) withoutEach(1);
  return needed;
}
