import { keysToCompare, sameChain, sameDeclaration } from "./equality.js";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";
import { chainText, counterText, setBlock } from "./text.js";

/**
 * What a transaction did not remove although nothing refers to it any more. A packet under evaluation may still be in it, so the
 * next transaction removes it.
 */
interface Leftover {
  readonly chains: ReadonlyMap<string, Chain>;
  readonly sets: ReadonlyMap<string, NamedSet>;
  readonly counters: ReadonlySet<string>;
}

export const nothingLeft: Leftover = {
  chains: new Map(),
  sets: new Map(),
  counters: new Set(),
};

export const isNothing = (left: Leftover): boolean =>
  left.chains.size + left.sets.size + left.counters.size === 0;

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

/**
 * The lines that remove what was left over, except what is wanted again. A chain that is wanted again with other rules may refer
 * to a leftover set, so no set is deleted before every changing chain is flushed (difference.ts).
 */
function sweep(
  table: string,
  left: Leftover,
  wanted: Ruleset,
): { readonly flushed: string[]; readonly sets: string[]; readonly rest: string[] } {
  const chains = [...left.chains.keys()].filter((name) => !wanted.chains.has(name));
  const sets = [...left.sets].filter(([name]) => !wanted.sets.has(name));
  const counters = [...left.counters].filter((name) => !wanted.counters.has(name));
  return {
    flushed: chains.map((name) => `flush chain inet ${table} ${name}`),
    sets: sets.map(([name, { kind }]) => `delete ${kind} inet ${table} ${name}`),
    rest: [
      ...chains.map((name) => `delete chain inet ${table} ${name}`),
      ...counters.map((name) => `delete counter inet ${table} ${name}`),
    ],
  };
}

function elementLine(
  verb: "add" | "delete",
  table: string,
  set: string,
  elements: readonly (readonly [key: string, value: string])[],
): string {
  return `${verb} element inet ${table} ${set} { ${elements.map(elementText).join(", ")} }`;
}

const elementText = ([key, value]: readonly [key: string, value: string]): string =>
  value === "" ? key : `${key} : ${value}`;

/** The whole content of a table: the last ruleset, and what has to be removed. */
export function contentOf({
  ruleset,
  leftover,
}: {
  readonly ruleset: Ruleset;
  readonly leftover: Leftover;
}): Ruleset {
  if (isNothing(leftover)) return ruleset;
  return {
    chains: new Map([...leftover.chains, ...ruleset.chains]),
    sets: new Map([...leftover.sets, ...ruleset.sets]),
    counters: new Set([...leftover.counters, ...ruleset.counters]),
  };
}

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
