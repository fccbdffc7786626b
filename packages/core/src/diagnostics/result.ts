import { type Diagnostic, diagnostic } from "./diagnostic.js";

/** A value, or why there is none. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

type Failed = Extract<Result<never>, { ok: false }>;

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });
export const failed = (why: Diagnostic): Failed => ({ ok: false, diagnostic: why });

/** A failure with a diagnostic of its own. */
export const refused = (...why: Parameters<typeof diagnostic>): Failed => failed(diagnostic(...why));
