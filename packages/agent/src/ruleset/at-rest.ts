import { againChains } from "./hooks.js";
import type { Chain, Ruleset } from "./ruleset.js";

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
