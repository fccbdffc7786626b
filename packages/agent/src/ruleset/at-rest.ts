import { againChains } from "./hooks.js";
import type { Chain, Ruleset } from "./ruleset.js";

/*
 * Packets under which the rules change are judged again, from a second base chain (walk-state.ts). All packets of the node come
 * through it, and each of its rules costs all of them. So there are none in it while rules do not change:
 *
 *     at rest ──► change: the same transaction fills it ──► change ──► … ──► none for a while: emptied ──► at rest
 *
 * The base chain itself stays. A packet is seen by those base chains that were there when it came to the hook, so one that comes
 * with a change is not seen by those who are on their way; but what is in a base chain is what is in it when it is called.
 */

/** The same rules, as they stand in the kernel while they do not change. */
export function atRest(ruleset: Ruleset): Ruleset {
  const emptied = againChains.flatMap((name): readonly (readonly [string, Chain])[] => {
    const chain = ruleset.chains.get(name);
    return chain === undefined || chain.rules.length === 0 ? [] : [[name, { ...chain, rules: [] }]];
  });
  return emptied.length === 0 ? ruleset : { ...ruleset, chains: new Map([...ruleset.chains, ...emptied]) };
}

export const isAtRest = (ruleset: Ruleset): boolean => atRest(ruleset) === ruleset;
