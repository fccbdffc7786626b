import type { Finding } from "../src/analysis/lint/finding.js";
import { lint } from "../src/analysis/lint/lint.js";
import type { LintRule } from "../src/analysis/lint/rule.js";
import { readState, type StateOptions } from "../src/state/state.js";

/** What one rule finds in a text that has no errors. */
export function findingsOf(rule: LintRule, yaml: string, options: StateOptions = {}): readonly Finding[] {
  const sources = [{ file: "test.yaml", text: yaml }];
  const state = readState(sources, options);
  if (!state.usable)
    throw new Error(state.diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  return lint(state, { sources, rules: [rule] }).findings.filter(({ code }) => code === rule.code);
}

export function messagesOf(rule: LintRule, yaml: string, options: StateOptions = {}): readonly string[] {
  return findingsOf(rule, yaml, options).map(({ message }) => message);
}

/** `[10.1.2.3/8] message`: with the text that a finding points to. */
export function linted(rule: LintRule, yaml: string, options: StateOptions = {}): readonly string[] {
  const lines = yaml.split("\n");
  return findingsOf(rule, yaml, options).map(({ place, message }) => {
    const { line, column, length } = place!;
    return `[${lines[line - 1]!.slice(column - 1, column - 1 + length)}] ${message}`;
  });
}

/** The same, as `line 9: message`. */
export function lintedLines(rule: LintRule, yaml: string, options: StateOptions = {}): readonly string[] {
  return findingsOf(rule, yaml, options).map(({ place, message }) => `line ${place?.line}: ${message}`);
}
