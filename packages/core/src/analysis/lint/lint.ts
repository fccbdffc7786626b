import { inReadingOrder } from "../../diagnostics/reading-order.js";
import type { Code } from "../../diagnostics/table.js";
import type { Engine } from "../../engine/index.js";
import type { Source, TextSource } from "../../manifest/source.js";
import { ownPolicies, type State } from "../../state/state.js";
import type { Finding } from "./finding.js";
import { LintContext, type LintRule, type Undecided } from "./rule.js";
import { lintRules } from "./rules.js";
import { withFixes } from "./simple-fixes.js";
import { applySuppressions, type Suppressed, suppressionsIn } from "./suppress.js";

export interface LintOptions {
  /** What the state was read from: exceptions in comments are looked up there. */
  readonly sources?: readonly Source[];
  readonly rules?: readonly LintRule[];
  /** Of this state, if it has been compiled already. */
  readonly engine?: Engine;
  /** Milliseconds for all questions about every cluster together. */
  readonly budget?: number;
  /** Called after each step of a lint rule. Those that ask about every cluster have many. */
  readonly progress?: (code: Code, steps: number) => void;
}

/** What is wrong with policies, or probably not meant. */
export interface LintReport {
  /** In reading order. */
  readonly findings: readonly Finding[];
  readonly suppressed: readonly Suppressed[];
  /** Whether all lint rules ran: of a state with errors, only the errors are reported. */
  readonly complete: boolean;
  /** Questions about every cluster that were not decided within the budget. */
  readonly undecided: Undecided;
}

/** What a person is willing to wait for, in addition to what holds in this cluster. */
const defaultBudget = 3000;

/** Everything that is wrong with the policies of a state, or probably not meant. */
export function lint(
  state: State,
  { sources = [], rules = lintRules, engine, budget = defaultBudget, progress }: LintOptions = {},
): LintReport {
  const replaced = new Set<Code>(rules.flatMap((rule) => rule.replaces ?? []));
  const reported = state.usable
    ? state.diagnostics.filter(({ code }) => !replaced.has(code))
    : state.diagnostics;
  // S9.7: an engine that was given includes foreign objects.
  const own = ownPolicies(state);
  let afterStep = () => {};
  const context = new LintContext(own, own === state ? engine : undefined, budget, () => afterStep());
  const check = (rule: LintRule) => {
    let steps = 0;
    afterStep = () => progress?.(rule.code, steps++);
    afterStep();
    return [...rule.check(context)];
  };
  const found = state.usable ? rules.flatMap(check) : [];
  const texts = sources.filter((source): source is TextSource => "text" in source);
  const { findings, suppressed } = applySuppressions(
    [...withFixes(reported, state.written), ...found],
    state.usable ? suppressionsIn(state.written, texts) : [],
  );
  const files = sources.map(({ file }) => file);
  return {
    findings: inReadingOrder(findings, files),
    suppressed,
    complete: state.usable,
    undecided: context.undecided,
  };
}
