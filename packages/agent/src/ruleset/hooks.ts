import type { Chain, Ruleset } from "./ruleset.js";

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

/*
 * Packets during whose evaluation the rules change are judged again, from a second base chain (walk-state.ts). All packets of the
 * node pass it, and each of its rules costs all of them. So it is empty while the rules do not change:
 *
 *     at rest ──► change: the same transaction fills it ──► change ──► … ──► none for a while: emptied ──► at rest
 *
 * The base chain itself stays. A packet passes the base chains that existed when it reached the hook, so a base chain that is
 * added by a change is not passed by packets under evaluation; but the rules in a base chain are those at the time of its call.
 */

/** The same rules, as they are in the kernel while they do not change. */
export function atRest(ruleset: Ruleset): Ruleset {
  const emptied = againChains.flatMap((name): readonly (readonly [string, Chain])[] => {
    const chain = ruleset.chains.get(name);
    return chain === undefined || chain.rules.length === 0 ? [] : [[name, { ...chain, rules: [] }]];
  });
  return emptied.length === 0 ? ruleset : { ...ruleset, chains: new Map([...ruleset.chains, ...emptied]) };
}

export const isAtRest = (ruleset: Ruleset): boolean => atRest(ruleset) === ruleset;
