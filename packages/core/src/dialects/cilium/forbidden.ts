import type { Code } from "../../diagnostics/table.js";
import type { Constraint } from "../../schema/schema.js";

/** A field that is in the schema only so that a message can say why it may not be used. */
export function forbidden(field: string, code: Code, message: string): Constraint {
  return {
    kind: "custom",
    check: (value) => (Object.hasOwn(value, field) ? [{ code, path: [field], at: "key", message }] : []),
  };
}
