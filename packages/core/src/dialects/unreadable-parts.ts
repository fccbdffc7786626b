import type { Path } from "../diagnostics/place.js";
import type { LowerContext } from "./dialect.js";

/**
 * S3.6: the fields of one rule that hold something we do not understand, for `failClosed`. What is wrong with
 * the rule as a whole (an unknown field of its own, a missing one) counts as a part of it too.
 */
export function unreadableParts(
  context: LowerContext,
  rule: Path,
  fields: readonly string[],
): readonly string[] {
  if (!context.unreadable(rule)) return [];
  const named = fields.filter((field) => context.unreadable([...rule, field])).map((field) => `\`${field}\``);
  return named.length > 0 ? named : ["a part of it"];
}
