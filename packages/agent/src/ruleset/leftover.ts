import type { Chain, NamedSet, Ruleset } from "./ruleset.js";

/**
 * What a transaction did not remove although nothing refers to it any more. A packet under evaluation may still be in it, so the
 * next transaction removes it.
 */
export interface Leftover {
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

/**
 * The lines that remove what was left over, except what is wanted again. A chain that is wanted again with other rules may refer
 * to a leftover set, so no set is deleted before every changing chain is flushed (difference.ts).
 */
export function sweep(
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

export function elementLine(
  verb: "add" | "delete",
  table: string,
  set: string,
  elements: readonly (readonly [key: string, value: string])[],
): string {
  return `${verb} element inet ${table} ${set} { ${elements.map(elementText).join(", ")} }`;
}

export const elementText = ([key, value]: readonly [key: string, value: string]): string =>
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
