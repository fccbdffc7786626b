import { given } from "./given.js";
import type { Path, Place } from "./place.js";
import { type Code, diagnostics, type Severity } from "./table.js";
import { shortened, visible } from "./visible.js";

/** One message about the user's input: what, where, and what to do. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** Lower case, no full stop, the user's input in backticks. */
  readonly message: string;
  readonly place?: Place;
  /** The object it is about: `AdminNetworkPolicy cluster-wide-allow`. */
  readonly object?: string;
  readonly path?: Path;
  /** The consequence, or what to do instead. */
  readonly hint?: string;
}

/** Texts of a diagnostic quote the input, and are made safe here, once for all formats: one line, of a length that can be read. */
export function diagnostic(
  code: Code,
  message: string,
  { severity = diagnostics[code].severity, place, object, path, hint }: About = {},
): Diagnostic {
  return {
    code,
    severity,
    message: safe(message),
    ...given({ place, object: object && safe(object), path, hint: hint && safe(hint) }),
  };
}

/** Optional parts of a diagnostic. */
type About = {
  readonly [Part in Exclude<keyof Diagnostic, "code" | "message">]?: Diagnostic[Part] | undefined;
};

const safe = (text: string): string => visible(shortened(text, longestText));

const longestText = 4000;

/** Whether one of them is an error. */
export function hasErrors(list: readonly Diagnostic[]): boolean {
  return list.some((d) => d.severity === "error");
}
