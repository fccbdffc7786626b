import { hash } from "node:crypto";

/** A short name that two things share only if they are made of the same text. */
export function contentName(prefix: string, text: string, digits = 16): string {
  return `${prefix}_${digestOf(text).slice(0, digits)}`;
}

export function digestOf(text: string): string {
  return hash("sha1", text);
}
