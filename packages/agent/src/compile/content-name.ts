import { hash } from "node:crypto";

/** A short name that is derived from a text. */
export function contentName(prefix: string, text: string, digits = 16): string {
  return `${prefix}_${digestOf(text).slice(0, digits)}`;
}

export function digestOf(text: string): string {
  return hash("sha1", text);
}

/** A size with room to grow: the kernel refuses more elements, and another size needs another map. */
export function roomFor(count: number, least: number): number {
  let size = least;
  while (size < count * 1.25) size *= 4;
  return size;
}
