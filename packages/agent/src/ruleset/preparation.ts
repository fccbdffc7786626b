import type { Held } from "./difference.js";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";
import { againChain } from "./walk-state.js";

/*
 * What has to be in the kernel before rules change, by a transaction of its own:
 *
 * - Packets under which the rules change are judged again, from a base chain behind the one that they came from (walk-state.ts). One
 *   more base chain costs every packet of the node, so these are there only meanwhile: they are put up before the first change,
 *   and go with what is left over after the last one.
 * - What is in a set of ranges the kernel shows only after it shows the rules of the same transaction, some hundred packets
 *   later. So such a set never changes: another one is loaded, and the rules that look into it come after that.
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

/** Sets of ranges that are not in the table yet. */
export function rangesToCome(held: Held, wanted: Ruleset): ReadonlyMap<string, NamedSet> {
  const isThere = (name: string) => held.ruleset.sets.has(name) || held.leftover.sets.has(name);
  return new Map([...wanted.sets].filter(([name, set]) => isOfRanges(set) && !isThere(name)));
}

const isOfRanges = ({ flags, elements }: NamedSet): boolean =>
  flags.includes("interval") && elements !== "learned" && elements.size > 0;
