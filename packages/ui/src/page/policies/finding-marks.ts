import type { Code } from "@tierwall/core";
import type { FindingView } from "../worker/questions/findings.js";

/** What a finding means for its rule, in a word; others are shown by their message alone. */
const words: Partial<Record<Code, string>> = {
  TW4001: "selects no pods",
  TW4101: "shadowed",
  TW4102: "never reached",
  TW4103: "redundant",
  TW4104: "overridden",
  TW4105: "allowed by a higher tier",
};

/** One for each thing to know about a policy or a rule, each once. */
export function marksOf(findings: readonly FindingView[]): readonly string[] {
  return [...new Set(findings.flatMap(({ code }) => words[code] ?? []))];
}

/** How many findings have no mark. */
export function unmarked(findings: readonly FindingView[]): number {
  return findings.filter(({ code, severity }) => words[code] === undefined && severity !== "note").length;
}
