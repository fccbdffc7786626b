import type { Code } from "@tierwall/core";
import type { FindingView } from "../worker/questions/findings.js";

/** What a finding means for the rule it stands at, in a word; others are told by their message alone. */
const words: Partial<Record<Code, string>> = {
  TW4001: "selects nobody",
  TW4101: "shadowed",
  TW4102: "never reached",
  TW4103: "changes nothing",
  TW4104: "overridden",
  TW4105: "opened above",
};

/** One for each thing to know about a policy or a rule, each once. */
export function marksOf(findings: readonly FindingView[]): readonly string[] {
  return [...new Set(findings.flatMap(({ code }) => words[code] ?? []))];
}

/** How many findings no mark tells of. */
export function unmarked(findings: readonly FindingView[]): number {
  return findings.filter(({ code, severity }) => words[code] === undefined && severity !== "note").length;
}
