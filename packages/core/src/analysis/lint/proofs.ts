import { type Proofs, prove } from "../proof/proofs.js";
import type { LintContext } from "./rule.js";

const known = new WeakMap<LintContext, Proofs>();

/** Found together, once for all that look at them. */
export function proofsFor(context: LintContext): Proofs {
  const found = known.get(context) ?? prove(context.engine);
  known.set(context, found);
  return found;
}
