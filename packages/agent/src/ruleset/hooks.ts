import type { Chain } from "./ruleset.js";

/** Of two tables that are loaded at the same time, each has adjacent priorities for its base chains. */
export type Place = "first" | "second";

const firstPriority: Readonly<Record<Place, number>> = { first: -10, second: -8 };

type Hook = "forward" | "input" | "output";

const againOf = (hook: Hook) => `${hook}_again` as const;

export const againChains = (["forward", "input", "output"] as const).map(againOf);

/** `again`: for packets during whose evaluation the rules changed, directly after their base chain (walk-state.ts). */
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

/** Neighbour discovery is not a connection; routers do not forward such packets. */
export const neighbours = "ip6 hoplimit 255 icmpv6 type 133-137 accept";
