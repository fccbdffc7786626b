import { type OrderConflict, orderConflicts } from "../proof/order-conflicts.js";
import { type Override, overrides } from "../proof/overridden.js";
import { type RuleProof, ruleProofs } from "../proof/rule-proofs.js";
import type { LintContext } from "./rule.js";

/** What is proven about the rules of a state, once for all that look at it. */
export class Proofs {
  private static readonly known = new WeakMap<LintContext, Proofs>();
  private rules: readonly RuleProof[] | undefined;
  private overridden: readonly Override[] | undefined;
  private conflicts: readonly OrderConflict[] | undefined;

  private constructor(private readonly context: LintContext) {}

  static of(context: LintContext): Proofs {
    const known = Proofs.known.get(context) ?? new Proofs(context);
    Proofs.known.set(context, known);
    return known;
  }

  get ofRules(): readonly RuleProof[] {
    return (this.rules ??= ruleProofs(this.context.engine));
  }

  get overrides(): readonly Override[] {
    return (this.overridden ??= overrides(this.context.engine));
  }

  get orderConflicts(): readonly OrderConflict[] {
    return (this.conflicts ??= orderConflicts(this.context.engine));
  }
}
