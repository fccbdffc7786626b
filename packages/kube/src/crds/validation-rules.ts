import type { Constraint, ObjectSchema } from "@tierwall/core/manifest";
import type { ValidationRule } from "./open-api.js";

/** What must hold between the fields of an object, in CEL; checks that only warn have no rule. */
export function validationRules({ title, constraints = [] }: ObjectSchema): readonly ValidationRule[] {
  return constraints.flatMap((constraint) => ruleOf(constraint, title) ?? []);
}

function ruleOf(constraint: Constraint, title: string): ValidationRule | undefined {
  switch (constraint.kind) {
    case "exactly-one":
      return {
        rule: `${howMany(constraint.of)} == 1`,
        message: `${title} needs exactly one of ${listed(constraint.of, "and")}`,
      };
    case "at-least-one":
      return {
        rule: constraint.of.map(isSet).join(" || "),
        message: `${title} needs at least one of ${listed(constraint.of, "and")}`,
      };
    case "at-most-one":
      return {
        rule: `${howMany(constraint.of)} <= 1`,
        message: `${listed(constraint.of, "and")} exclude each other in ${title}`,
      };
    case "needs":
      return {
        rule: `!${isSet(constraint.field)} || ${constraint.needs.map(isSet).join(" || ")}`,
        message: `\`${constraint.field}\` needs ${listed(constraint.needs, "or")} beside it`,
      };
    case "custom":
      return constraint.cel;
  }
}

const isSet = (field: string): string => `has(self.${field})`;

const howMany = (fields: readonly string[]): string =>
  fields.map((field) => `(${isSet(field)} ? 1 : 0)`).join(" + ");

function listed(fields: readonly string[], word: "and" | "or"): string {
  const quoted = fields.map((field) => `\`${field}\``);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} ${word} ${quoted.at(-1)}`;
}
