import { keysToCompare } from "./edited-elements.js";
import { elementLine, elementText, type Leftover, nothingLeft, sweep } from "./leftover.js";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";
import { sameChain, sameDeclaration } from "./sameness.js";

/** A table as it is: what was wanted last, and what is waiting to be removed. */
export interface Held {
  readonly ruleset: Ruleset;
  readonly leftover: Leftover;
}

export const emptyTable: Held = {
  ruleset: { chains: new Map(), sets: new Map(), counters: new Set() },
  leftover: nothingLeft,
};

export type Difference =
  | { readonly kind: "in-place"; readonly transaction: string; readonly leftover: Leftover }
  /** nftables cannot turn the one into the other: a new table is needed. */
  | { readonly kind: "impossible"; readonly because: string };

/**
 * The transaction that makes the table `wanted`; loading a whole table is the difference from nothing. In this order,
 * because nft checks each line against those before it:
 *
 *     what was left over           flush chains, delete sets and elements
 *     what goes or changes         flush chains, delete elements
 *     what is new                  one table block: counters, chains, sets
 *     elements of sets that stay   they may name new chains
 *     what was left over           delete chains and counters
 */
export function difference(table: string, held: Held, wanted: Ruleset): Difference {
  const draft: Draft = { table, going: [], coming: [], elements: [] };
  const counters = draftCounters(draft, held, wanted);
  const chains = draftChains(draft, held, wanted);
  const sets = draftSets(draft, held, wanted);
  if (typeof chains === "string") return { kind: "impossible", because: chains };
  if (typeof sets === "string") return { kind: "impossible", because: sets };
  const block = draft.coming.length > 0 ? [`table inet ${table} {\n${draft.coming.join("")}}`] : [];
  const { first, last } = sweep(table, held.leftover, wanted);
  const lines = [...first, ...draft.going, ...block, ...draft.elements, ...last];
  return {
    kind: "in-place",
    transaction: lines.map((line) => `${line}\n`).join(""),
    leftover: { counters, chains, ...sets },
  };
}

interface Draft {
  readonly table: string;
  readonly going: string[];
  readonly coming: string[];
  readonly elements: string[];
}

function draftCounters(draft: Draft, { ruleset, leftover }: Held, wanted: Ruleset): Leftover["counters"] {
  if (wanted.counters === ruleset.counters) return nothingLeft.counters;
  for (const name of wanted.counters) {
    if (ruleset.counters.has(name) || leftover.counters.has(name)) continue;
    draft.coming.push(`\tcounter ${name} {\n\t}\n`);
  }
  return new Set([...ruleset.counters].filter((name) => !wanted.counters.has(name)));
}

/** What is left over, or why it cannot be done in place. */
function draftChains(
  draft: Draft,
  { ruleset, leftover }: Held,
  wanted: Ruleset,
): Leftover["chains"] | string {
  if (wanted.chains === ruleset.chains) return nothingLeft.chains;
  for (const [name, chain] of wanted.chains) {
    const old = ruleset.chains.get(name) ?? leftover.chains.get(name);
    if (old && sameChain(old, chain)) continue;
    if (old && old.hook !== chain.hook) return `chain ${name} is to be called at another place`;
    if (old) draft.going.push(`flush chain inet ${draft.table} ${name}`);
    draft.coming.push(chainBlock(name, chain));
  }
  const left = new Map<string, Chain>();
  for (const [name, chain] of ruleset.chains) {
    if (wanted.chains.has(name)) continue;
    left.set(name, chain.hook === undefined ? chain : { hook: chain.hook, rules: [] });
    // Nobody jumps to a base chain: packets come by themselves until it is empty.
    if (chain.hook !== undefined) draft.going.push(`flush chain inet ${draft.table} ${name}`);
  }
  return left;
}

function draftSets(
  draft: Draft,
  { ruleset, leftover }: Held,
  wanted: Ruleset,
): Pick<Leftover, "sets" | "elements"> | string {
  if (wanted.sets === ruleset.sets) return { sets: nothingLeft.sets, elements: nothingLeft.elements };
  const identities = new GivenIdentities(wanted);
  const elements = new Map<string, ReadonlyMap<string, string>>();
  for (const [name, set] of wanted.sets) {
    const old = ruleset.sets.get(name) ?? leftover.sets.get(name);
    if (old === set) continue;
    if (!old) {
      draft.coming.push(setBlock(name, set));
      continue;
    }
    if (!sameDeclaration(old, set)) return `${set.kind} ${name} is to be declared in another way`;
    if (old.elements === set.elements || old.elements === "learned" || set.elements === "learned") continue;
    // Nobody looks into a set that was left over.
    const inUse = ruleset.sets.has(name) ? identities : undefined;
    const change = changeOf(old.elements, leftover.elements.get(name), set, inUse);
    if (change.removed.length + change.added.length > 0 && set.flags.includes("constant")) {
      return `${set.kind} ${name} is constant and is to have other elements`;
    }
    if (change.removed.length > 0) draft.going.push(elementLine("delete", draft.table, name, change.removed));
    if (change.added.length > 0) draft.elements.push(elementLine("add", draft.table, name, change.added));
    if (change.left.size > 0) elements.set(name, change.left);
  }
  return { sets: new Map([...ruleset.sets].filter(([name]) => !wanted.sets.has(name))), elements };
}

interface ElementChange {
  readonly removed: [string, string][];
  readonly added: [string, string][];
  readonly left: Map<string, string>;
}

function changeOf(
  old: ReadonlyMap<string, string>,
  waiting: ReadonlyMap<string, string> | undefined,
  set: NamedSet,
  identities: GivenIdentities | undefined,
): ElementChange {
  const change: ElementChange = { removed: [], added: [], left: new Map() };
  if (set.elements === "learned") return change;
  for (const key of keysToCompare(old, set.elements)) {
    const before = old.get(key);
    const value = set.elements.get(key);
    if (before === value || (before === undefined && waiting?.get(key) === value)) continue;
    if (value !== undefined) {
      if (before !== undefined) change.removed.push([key, before]);
      change.added.push([key, value]);
    } else if (set.type === "classid : verdict" && identities?.has(key) === false)
      change.left.set(key, before!);
    else change.removed.push([key, before!]);
  }
  return change;
}

/**
 * A packet that was told an identity just before the transaction looks it up in a verdict map just after it. So an
 * identity that nobody is given any more is left over there for one transaction.
 */
class GivenIdentities {
  #given: Set<string> | undefined;
  constructor(readonly wanted: Ruleset) {}

  has(identity: string): boolean {
    this.#given ??= new Set(this.#all());
    return this.#given.has(identity);
  }

  *#all(): Iterable<string> {
    for (const { type, elements } of this.wanted.sets.values()) {
      if (type.endsWith(" : classid") && elements !== "learned") yield* elements.values();
    }
  }
}

function chainBlock(name: string, { hook, rules }: Chain): string {
  const lines = hook === undefined ? rules : [hook, ...rules];
  return `\tchain ${name} {\n${lines.map((line) => `\t\t${line}\n`).join("")}\t}\n`;
}

function setBlock(name: string, set: NamedSet): string {
  const lines = [`type ${set.type}`];
  if (set.size !== undefined) lines.push(`size ${set.size}`);
  if (set.flags.length > 0) lines.push(`flags ${set.flags.join(",")}`);
  if (set.elements !== "learned" && set.elements.size > 0) {
    lines.push(`elements = { ${[...set.elements].map(elementText).join(", ")} }`);
  }
  return `\t${set.kind} ${name} {\n${lines.map((line) => `\t\t${line}\n`).join("")}\t}\n`;
}
