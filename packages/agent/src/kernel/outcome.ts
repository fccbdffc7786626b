/** A value, or a message that says what went wrong and what to do about it. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const failed = (message: string): { readonly ok: false; readonly message: string } => ({
  ok: false,
  message,
});
