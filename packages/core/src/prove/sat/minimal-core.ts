import type { Literal } from "./literal.js";
import type { Answer, Budget } from "./solver.js";

/** Something that can be asked, and that knows which assumptions made the last answer unsatisfiable. */
export interface Solvable {
  readonly solver: { readonly core: readonly Literal[] };
  readonly solve: (assumptions: readonly Literal[], budget?: Budget) => Answer;
}

/** Leaves out what can be left out of an unsatisfiable set of assumptions: each removable one is tried once. */
export function minimalCore(
  formula: Solvable,
  fixed: readonly Literal[],
  removable: readonly Literal[],
  budget: Budget,
): readonly Literal[] {
  let needed = removable;
  for (const candidate of removable) {
    if (!needed.includes(candidate)) continue;
    const fewer = needed.filter((literal) => literal !== candidate);
    if (formula.solve([...fixed, ...fewer], budget) !== "unsatisfiable") continue;
    const core = new Set(formula.solver.core);
    needed = fewer.filter((literal) => core.has(literal));
  }
  return needed;
}
