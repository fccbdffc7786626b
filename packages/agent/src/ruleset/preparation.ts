import type { Held } from "./difference.js";
import type { NamedSet, Ruleset } from "./ruleset.js";

/*
 * What has to be in the kernel before rules change, in a separate transaction. The elements of a set of ranges become visible some
 * hundred packets after the rules of the same transaction. So such a set never changes: a new one is loaded, and the rules that
 * use it follow in the next transaction.
 */

/** Sets of ranges that are not in the table yet. */
export function rangesToCome(held: Held, wanted: Ruleset): ReadonlyMap<string, NamedSet> {
  const isThere = (name: string) => held.ruleset.sets.has(name) || held.leftover.sets.has(name);
  return new Map([...wanted.sets].filter(([name, set]) => isOfRanges(set) && !isThere(name)));
}

const isOfRanges = ({ flags, elements }: NamedSet): boolean =>
  flags.includes("interval") && elements !== "learned" && elements.size > 0;
