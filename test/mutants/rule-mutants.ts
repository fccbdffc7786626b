/*
 * Bugs that are planted in packages/core/src/prove/rules. Each must be found by comparing answers about rules with the evaluator.
 * `find` occurs exactly once in its file: update this table with that line.
 */

export interface RuleMutant {
  readonly name: string;
  /** In packages/core/src/prove/rules. */
  readonly file: "rule-walk.ts" | "rule-questions.ts" | "order-questions.ts";
  readonly find: string;
  readonly put: string;
}

const changes: readonly (readonly [name: string, file: RuleMutant["file"], find: string, put: string])[] = [
  [
    "what a tier passes does not reach later tiers",
    "rule-walk.ts",
    'action === "Pass" ? [formula.and(',
    'action !== "Pass" && i < 0 ? [formula.and(',
  ],
  [
    "isolation does not end a tier",
    "rule-walk.ts",
    "const last = formula.and([not(this.ends), next]);",
    "const last = next;",
  ],
  [
    "a rule is compared with itself",
    "rule-walk.ts",
    "this.allowsFrom(index + 1, next)]",
    "this.allowsFrom(index, next)]",
  ],
  [
    "earlier rules of the tier do not count",
    "rule-walk.ts",
    "before.push(formula.and([before.at(-1)!, not(match)]))",
    "before.push(formula.and([before.at(-1)!, match, not(match)].slice(0, 1)))",
  ],
  [
    "earlier tiers do not count",
    "rule-walk.ts",
    "return [this.enters, this.before[index]!, this.matches[index]!];",
    "return [this.before[index]!, this.matches[index]!];",
  ],
  [
    "namespace owners write nothing",
    "rule-walk.ts",
    "if (!owners.writeAnything ||",
    "if (owners.writeAnything ||",
  ],
  [
    "an owner's NetworkPolicy allows nothing",
    "rule-walk.ts",
    "formula.or([this.owners.allow, last])",
    "formula.or([last])",
  ],
  [
    "a Pass denies",
    "rule-walk.ts",
    "this.walk.effectOf(this.tier.rules[index]!, this.direction, next, TRUE)",
    "this.walk.effectOf(this.tier.rules[index]!, this.direction, not(TRUE), TRUE)",
  ],
  [
    "every rule that is not reached is called unreached",
    "rule-walk.ts",
    "const first = [this.walked, stage.before[index]!, stage.matches[index]!];",
    "const first = [this.walked, stage.matches[index]!];",
  ],
  [
    "only the last of the rules that suffice is named",
    "rule-questions.ts",
    "(needed.has(literal) ? part : []));",
    "(needed.has(literal) ? part : [])).slice(-1);",
  ],
  [
    "the last policy of a priority counts as the first",
    "order-questions.ts",
    "firstEffect = formula.choose(anyMatched, firstEffect, effect);",
    "firstEffect = effect;",
  ],
  [
    "rules before a priority do not count",
    "order-questions.ts",
    "formula.and([stage.enters, stage.before[start]!])",
    "formula.and([stage.enters])",
  ],
];

export const ruleMutants: readonly RuleMutant[] = changes.map(([name, file, find, put]) => ({
  name,
  file,
  find,
  put,
}));
