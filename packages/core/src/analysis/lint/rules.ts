import type { LintRule } from "./rule.js";
import { selectsNothing } from "./rules/selects-nothing.js";

/** Every rule there is, beside what `tierwall validate` says. */
export const lintRules: readonly LintRule[] = [selectsNothing];
