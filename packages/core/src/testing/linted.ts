import type { Finding } from "../analysis/lint/finding.js";
import { lint } from "../analysis/lint/lint.js";
import type { LintRule } from "../analysis/lint/rule.js";
import { readState, type StateOptions } from "../analysis/state.js";

/** What one rule finds in a text that has no errors. */
export function findingsOf(rule: LintRule, yaml: string, options: StateOptions = {}): readonly Finding[] {
  const sources = [{ file: "test.yaml", text: yaml }];
  const state = readState(sources, options);
  if (!state.usable)
    throw new Error(state.diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  return lint(state, { sources, rules: [rule] }).findings.filter(({ code }) => code === rule.code);
}

/** The same, as `9:3 message`. */
export function linted(rule: LintRule, yaml: string, options: StateOptions = {}): readonly string[] {
  return findingsOf(rule, yaml, options).map(
    ({ place, message }) => `${place === undefined ? "" : `${place.line}:${place.column} `}${message}`,
  );
}
