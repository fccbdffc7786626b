import type { Chain } from "./ruleset.js";

/**
 * Of two tables that judge beside each other, each has the places of its base chains side by side: there may be another behind
 * each (preparation.ts).
 */
export type Place = "first" | "second";

const firstPriority: Readonly<Record<Place, number>> = { first: -10, second: -8 };

export function baseChain(
  hook: "forward" | "input" | "output",
  place: Place,
  rules: readonly string[],
): readonly [string, Chain] {
  return [hook, { hook: `type filter hook ${hook} priority ${firstPriority[place]}; policy accept;`, rules }];
}

/** Finding neighbours is not a connection; such packets never come from further away. */
export const neighbours = "ip6 hoplimit 255 icmpv6 type 133-137 accept";
