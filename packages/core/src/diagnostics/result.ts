import type { Diagnostic } from "./diagnostic.js";

/** A value, or why there is none. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });
export const failed = (diagnostic: Diagnostic): { readonly ok: false; readonly diagnostic: Diagnostic } => ({
  ok: false,
  diagnostic,
});
