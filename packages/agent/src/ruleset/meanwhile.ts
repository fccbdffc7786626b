import type { Chain, Ruleset } from "./ruleset.js";
import { againChain } from "./walk-state.js";

/*
 * Packets under which the rules change are judged again, from a base chain behind the one that they came from (walk-state.ts). One
 * more base chain costs every packet of the node, so these are there only while rules change: a transaction of its own puts
 * them up before the first change, and they go with what is left over after the last one.
 *
 *     put up ──► change ──► change ──► … ──► nothing for a while ──► taken away
 */

const ending = "_meanwhile";

export const isMeanwhile = (chain: string): boolean => chain.endsWith(ending);

/** What is to be called behind the base chains of a table while its rules change. */
export function meanwhileChains({ chains }: Ruleset): ReadonlyMap<string, Chain> {
  const found = new Map<string, Chain>();
  for (const [name, { hook }] of chains) {
    const again = againChain(name);
    if (hook === undefined || !chains.has(again)) continue;
    found.set(`${name}${ending}`, { hook: oneLater(hook), rules: [`goto ${again}`] });
  }
  return found;
}

export const withChains = (ruleset: Ruleset, more: ReadonlyMap<string, Chain>): Ruleset =>
  more.size === 0 ? ruleset : { ...ruleset, chains: new Map([...ruleset.chains, ...more]) };

const oneLater = (hook: string): string =>
  hook.replace(/priority (-?\d+)/, (_, priority) => `priority ${Number(priority) + 1}`);
