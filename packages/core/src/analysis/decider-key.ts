import { getOrInsert } from "../collections/maps.js";
import type { Decider } from "../evaluate/walk.js";

const numbers = new WeakMap<object, number>();
let last = 0;

/** A number for an object, the same whenever it comes again. */
export function numberOf(object: object): number {
  return getOrInsert(numbers, object, () => ++last);
}

/** Equal for rules, isolations and defaults that are the same. */
export function deciderKey(by: Decider): string {
  switch (by.kind) {
    case "rule":
      return `${numberOf(by.rule)}`;
    case "isolation":
      return by.isolation.map(numberOf).join("+");
    case "default":
    case "no-walk":
    case "own-address":
    case "own-node":
      return by.kind;
  }
}
