import { isObject } from "../manifest/document.js";
import type { Constraint, Violation } from "../schema/schema.js";

/** Explanations and logs identify rules by name; for a spec with `ingress` and `egress`. */
export const distinctRuleNames: Constraint = { kind: "custom", check: checkNames };

function checkNames(spec: Readonly<Record<string, unknown>>): readonly Violation[] {
  const seen = new Map<string, string>();
  const findings: Violation[] = [];
  for (const direction of ["ingress", "egress"]) {
    const rules = spec[direction];
    if (!Array.isArray(rules)) continue;
    for (const [i, rule] of (rules as unknown[]).entries()) {
      const name = isObject(rule) ? rule.name : undefined;
      if (typeof name !== "string" || name === "") continue;
      const first = seen.get(name);
      if (first === undefined) seen.set(name, `${direction}[${i}]`);
      else
        findings.push({
          code: "TW2009",
          path: [direction, i, "name"],
          message: `\`${first}\` already has the name \`${name}\``,
          hint: "Both rules are evaluated, but reports cannot distinguish them. Give each rule its own name.",
          readable: true,
        });
    }
  }
  return findings;
}
