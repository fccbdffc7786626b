import { keysToCompare } from "./edited-elements.js";
import { elementLine, elementText, type Leftover, nothingLeft, sweep } from "./leftover.js";
import type { Chain, Ruleset } from "./ruleset.js";
import { sameChain, sameDeclaration } from "./equality.js";
import { chainText, counterText, setBlock } from "./text.js";

/** A table as it is in the kernel: the last ruleset, and what has to be removed. */
export interface Held {
  readonly ruleset: Ruleset;
  readonly leftover: Leftover;
}

export const emptyTable: Held = {
  ruleset: { chains: new Map(), sets: new Map(), counters: new Set() },
  leftover: nothingLeft,
};

type Difference =
  | { readonly kind: "in-place"; readonly transaction: string; readonly leftover: Leftover }
  /** nftables cannot make this change: a new table is needed. */
  | { readonly kind: "impossible"; readonly because: string };

/**
 * The transaction that makes the table `wanted`; loading a whole table is the difference from nothing. In this order,
 * because nft checks each line against those before it:
 *
 *     leftover and changing chains   flush: nothing refers to leftover sets, chains or counters after it
 *     leftover sets                  delete
 *     removed elements               delete: nothing refers to leftover chains after it
 *     what is new                    one table block: counters, chains, sets
 *     added elements                 they may name new chains
 *     leftover chains and counters   delete
 */
export function difference(table: string, held: Held, wanted: Ruleset): Difference {
  const draft: Draft = { table, flushed: [], going: [], coming: [], elements: [] };
  const counters = draftCounters(draft, held, wanted);
  const chains = draftChains(draft, held, wanted);
  const sets = draftSets(draft, held, wanted);
  if (typeof chains === "string") return { kind: "impossible", because: chains };
  if (typeof sets === "string") return { kind: "impossible", because: sets };
  const block = draft.coming.length > 0 ? [`table inet ${table} {\n${draft.coming.join("")}}`] : [];
  const swept = sweep(table, held.leftover, wanted);
  const lines = [
    ...swept.flushed,
    ...draft.flushed,
    ...swept.sets,
    ...draft.going,
    ...block,
    ...draft.elements,
    ...swept.rest,
  ];
  return {
    kind: "in-place",
    transaction: lines.map((line) => `${line}\n`).join(""),
    leftover: { counters, chains, sets },
  };
}

interface Draft {
  readonly table: string;
  readonly flushed: string[];
  readonly going: string[];
  readonly coming: string[];
  readonly elements: string[];
}

function draftCounters(draft: Draft, { ruleset, leftover }: Held, wanted: Ruleset): Leftover["counters"] {
  if (wanted.counters === ruleset.counters) return nothingLeft.counters;
  for (const name of wanted.counters) {
    if (ruleset.counters.has(name) || leftover.counters.has(name)) continue;
    draft.coming.push(counterText(name));
  }
  return new Set([...ruleset.counters].filter((name) => !wanted.counters.has(name)));
}

/** What is left over, or why the change is not possible in place. */
function draftChains(
  draft: Draft,
  { ruleset, leftover }: Held,
  wanted: Ruleset,
): Leftover["chains"] | string {
  if (wanted.chains === ruleset.chains) return nothingLeft.chains;
  for (const [name, chain] of wanted.chains) {
    const old = ruleset.chains.get(name) ?? leftover.chains.get(name);
    if (old && sameChain(old, chain)) continue;
    if (old && old.hook !== chain.hook) return `chain ${name} moves to another hook`;
    if (old) draft.flushed.push(`flush chain inet ${draft.table} ${name}`);
    draft.coming.push(chainText(name, chain));
  }
  const left = new Map<string, Chain>();
  for (const [name, chain] of ruleset.chains) {
    if (wanted.chains.has(name)) continue;
    left.set(name, chain.hook === undefined ? chain : { hook: chain.hook, rules: [] });
    // Packets enter a base chain without a jump, until it is empty.
    if (chain.hook !== undefined) draft.flushed.push(`flush chain inet ${draft.table} ${name}`);
  }
  return left;
}

/** The same for sets. */
function draftSets(draft: Draft, { ruleset, leftover }: Held, wanted: Ruleset): Leftover["sets"] | string {
  if (wanted.sets === ruleset.sets) return nothingLeft.sets;
  for (const [name, set] of wanted.sets) {
    const old = ruleset.sets.get(name) ?? leftover.sets.get(name);
    if (old === set) continue;
    if (!old) {
      const elements = set.elements === "learned" ? [] : [...set.elements].map(elementText);
      const listed = elements.length === 0 ? [] : [`elements = { ${elements.join(", ")} }`];
      draft.coming.push(setBlock(name, set, listed));
      continue;
    }
    if (!sameDeclaration(old, set)) return `${set.kind} ${name} changes its declaration`;
    if (old.elements === set.elements || old.elements === "learned" || set.elements === "learned") continue;
    const { removed, added } = changeOf(old.elements, set.elements);
    if (removed.length > 0) draft.going.push(elementLine("delete", draft.table, name, removed));
    if (added.length > 0) draft.elements.push(elementLine("add", draft.table, name, added));
  }
  return new Map([...ruleset.sets].filter(([name]) => !wanted.sets.has(name)));
}

type Element = readonly [key: string, value: string];

function changeOf(
  old: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): { readonly removed: readonly Element[]; readonly added: readonly Element[] } {
  const [removed, added]: [Element[], Element[]] = [[], []];
  for (const key of keysToCompare(old, wanted)) {
    const [before, value] = [old.get(key), wanted.get(key)];
    if (before === value) continue;
    if (before !== undefined) removed.push([key, before]);
    if (value !== undefined) added.push([key, value]);
  }
  return { removed, added };
}
