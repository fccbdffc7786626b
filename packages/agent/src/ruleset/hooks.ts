import type { Chain } from "./ruleset.js";

/** Of two tables that judge beside each other, each has the places of its base chains side by side. */
export type Place = "first" | "second";

const firstPriority: Readonly<Record<Place, number>> = { first: -10, second: -8 };

type Hook = "forward" | "input" | "output";

const againOf = (hook: Hook) => `${hook}_again` as const;

export const againChains = (["forward", "input", "output"] as const).map(againOf);

/** `again`: for packets under which the rules changed, right behind the base chain that they came through (walk-state.ts). */
export function baseChain(
  hook: Hook,
  place: Place,
  rules: readonly string[],
  turn: "first" | "again" = "first",
): readonly [string, Chain] {
  const priority = firstPriority[place] + (turn === "first" ? 0 : 1);
  const name = turn === "first" ? hook : againOf(hook);
  return [name, { hook: `type filter hook ${hook} priority ${priority}; policy accept;`, rules }];
}

/** Finding neighbours is not a connection; such packets never come from further away. */
export const neighbours = "ip6 hoplimit 255 icmpv6 type 133-137 accept";
