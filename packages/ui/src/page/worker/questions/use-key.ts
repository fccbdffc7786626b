import type { Direction } from "@tierwall/core/model";

/* Both threads know these keys, and nothing of the engine comes with them. */

/** `path` is that of a rule, or `isolation` for what a policy denies because no rule allows it. */
export function useKey(policy: string, direction: Direction, path: string): string {
  return `${policy} ${direction} ${path}`;
}

/** What is left for the default. */
export const defaultKey = (direction: Direction): string => `default ${direction}`;
