import type { Held } from "./difference.js";
import type { NamedSet, Ruleset } from "./ruleset.js";

/*
 * What has to be in the kernel before rules change, by a transaction of its own. What is in a set of ranges the kernel shows only
 * after it shows the rules of the same transaction, some hundred packets later. So such a set never changes: another one is
 * loaded, and the rules that look into it come after that.
 */

/** Sets of ranges that are not in the table yet. */
export function rangesToCome(held: Held, wanted: Ruleset): ReadonlyMap<string, NamedSet> {
  const isThere = (name: string) => held.ruleset.sets.has(name) || held.leftover.sets.has(name);
  return new Map([...wanted.sets].filter(([name, set]) => isOfRanges(set) && !isThere(name)));
}

const isOfRanges = ({ flags, elements }: NamedSet): boolean =>
  flags.includes("interval") && elements !== "learned" && elements.size > 0;
