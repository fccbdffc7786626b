import { isObject, type Json, type JsonObject } from "@tierwall/core/manifest";

/* What comes from an API server, or from a proxy in between, may have any shape. */

/** Undefined where there is nothing at the path. */
export function valueAt(value: unknown, ...path: readonly string[]): Json | undefined {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value) as
    | Json
    | undefined;
}

/** Empty where there is no text at the path. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** Empty where there is no list at the path. */
export function listAt(value: unknown, ...path: readonly string[]): readonly Json[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

export const objectsAt = (value: unknown, ...path: readonly string[]): readonly JsonObject[] =>
  listAt(value, ...path).filter(isObject);

/** The body of an answer. What is not JSON is the message of a proxy. */
export function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return { message: text.trim().slice(0, 300) };
  }
}

/** Of resource versions. They are numbers that grow; those of other servers, which are not, cannot be compared. */
export function isEarlier(a: string, b: string): boolean {
  return /^\d+$/.test(a) && /^\d+$/.test(b) && BigInt(a) < BigInt(b);
}
