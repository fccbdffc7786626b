import type { StackedPolicy } from "../worker/questions/policies.js";
import type { RuleUseAnswer } from "../worker/questions/rule-use.js";
import { useKey } from "../worker/questions/use-key.js";
import type { FindingsByPlace } from "./findings-by-place.js";
import { decidesNothing, nothing } from "./use-words.js";

/** Which policies are shown: all, those with findings, or those with something that decides nothing. */
export const choices = { all: "All", findings: "With findings", idle: "That decide nothing" } as const;
export type PolicyFilter = keyof typeof choices;

export const choiceOf = (text: string | undefined): PolicyFilter =>
  (Object.keys(choices) as PolicyFilter[]).find((choice) => choice === text) ?? "all";

/** Every word has to be in the texts of the policy's rows. */
export function isWanted(
  stacked: StackedPolicy,
  words: readonly string[],
  choice: PolicyFilter,
  findings: FindingsByPlace,
  uses: RuleUseAnswer | undefined,
): boolean {
  const { policy, rules, isolates } = stacked;
  if (choice === "findings" && findings.of(policy.key).length === 0) return false;
  if (choice === "idle") {
    if (uses === undefined) return false;
    const parts = [
      ...rules.map(({ direction, path }) => useKey(policy.key, direction, path)),
      ...isolates.map((direction) => useKey(policy.key, direction, "isolation")),
    ];
    if (!parts.every((key) => decidesNothing(uses[key] ?? nothing))) return false;
  }
  if (words.length === 0) return true;
  const text = textOf(stacked);
  return words.every((word) => text.includes(word));
}

export const wordsOf = (filter: string): readonly string[] =>
  filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");

/** Asked for at every key that is pressed, of thousands of policies. */
function textOf(stacked: StackedPolicy): string {
  const known = texts.get(stacked);
  if (known !== undefined) return known;
  const { policy, subject, rules } = stacked;
  const lines = rules.map(({ name = "", traffic, action }) => `${action} ${name} ${traffic}`);
  const text = [policy.title, subject, ...lines].join("\n").toLowerCase();
  texts.set(stacked, text);
  return text;
}

const texts = new WeakMap<StackedPolicy, string>();
