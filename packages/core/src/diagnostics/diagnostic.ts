import type { Path, Place } from "./place.js";
import { type Code, diagnostics, type Severity } from "./table.js";
import { shortened, visible } from "./visible.js";

/** One thing to tell the user about their input: what, where, and what to do. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** Lower case, no full stop, the user's input in backticks. */
  readonly message: string;
  readonly place?: Place;
  /** The object it is about: `AdminNetworkPolicy cluster-wide-allow`. */
  readonly object?: string;
  readonly path?: Path;
  /** What happens if it is left as it is, or what to do instead. */
  readonly hint?: string;
}

/** Texts of a diagnostic quote the input, and are made safe here, once for all formats: one line, of a length that can be read. */
export function diagnostic(
  code: Code,
  message: string,
  more: Omit<Partial<Diagnostic>, "code" | "message"> = {},
): Diagnostic {
  const { object, hint } = more;
  return {
    code,
    severity: diagnostics[code].severity,
    message: safe(message),
    ...more,
    ...(object === undefined ? {} : { object: safe(object) }),
    ...(hint === undefined ? {} : { hint: safe(hint) }),
  };
}

const safe = (text: string): string => visible(shortened(text, longestText));

const longestText = 4000;

/** Whether one of them is an error. */
export function hasErrors(list: readonly Diagnostic[]): boolean {
  return list.some((d) => d.severity === "error");
}
