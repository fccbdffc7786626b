import { createHash } from "node:crypto";
import type { Ruleset } from "../ruleset/ruleset.js";

/**
 * What an agent needs to find in the kernel after a crash. It is the only element of the set `state` in the table. Every
 * transaction replaces it, so it shows which transaction was the last:
 *
 *     set state { type mark; elements = { 0x0000002a comment "generation 7 spent 7 digest 0123456789abcdef" } }
 */
export interface TableState {
  /** The number of the transaction, which never repeats. Of two tables, the one with the larger number is newer. */
  readonly sequence: number;
  /** In the connection marks that the rules of this table write and trust. */
  readonly generation: number;
  /** The last generation that any table used, including trials that were given up. It must not be used again. */
  readonly spent: number;
  /** Of all transactions on the table, in their order. */
  readonly digest: string;
  /** The table judges for a limited time (trial.ts). */
  readonly trial: boolean;
}

export const stateSet = "state";

/** The text of a transaction, with the resulting state as its last line. */
export function sealed(
  table: string,
  transaction: string,
  before: TableState | undefined,
  next: Omit<TableState, "digest">,
): { readonly text: string; readonly state: TableState } {
  const digest = createHash("sha256")
    .update(before?.digest ?? "")
    .update(transaction)
    .digest("hex")
    .slice(0, 16);
  const state = { ...next, digest };
  const declare = before
    ? `flush set inet ${table} ${stateSet}\n`
    : `table inet ${table} {\n\tset ${stateSet} {\n\t\ttype mark\n\t}\n}\n`;
  return {
    text: `${transaction}${declare}add element inet ${table} ${stateSet} { ${print(state)} }\n`,
    state,
  };
}

function print({ sequence, generation, spent, digest, trial }: TableState): string {
  const key = `0x${sequence.toString(16).padStart(8, "0")}`;
  return `${key} comment "generation ${generation} spent ${spent} digest ${digest}${trial ? " trial" : ""}"`;
}

/** Finds a state in the output of nft: in a listing, or in a line of its monitor. */
export function readState(text: string): TableState | undefined {
  const [, sequence, comment] = /(0x[0-9a-f]{8}) comment "([^"]*)"/.exec(text) ?? [];
  return sequence === undefined ? undefined : stateOf(Number(sequence), comment!);
}

/** The same in its JSON: `{"set": {…, "elem": [{"elem": {"val": 42, "comment": "generation …"}}]}}`. */
export function stateIn(objects: readonly object[]): TableState | undefined {
  const found = /"val":(\d+),"comment":"([^"]*)"/.exec(JSON.stringify(objects));
  return found === null ? undefined : stateOf(Number(found[1]), found[2]!);
}

function stateOf(sequence: number, comment: string): TableState | undefined {
  const found = /^generation (\d+) spent (\d+) digest ([0-9a-f]{16})( trial)?$/.exec(comment);
  if (!found) return undefined;
  const [, generation, spent, digest, trial] = found;
  return {
    sequence,
    generation: Number(generation),
    spent: Number(spent),
    digest: digest!,
    trial: trial !== undefined,
  };
}

/** Separates the state from a listed ruleset. */
export function splitState(listed: Ruleset): {
  readonly ruleset: Ruleset;
  readonly state: TableState | undefined;
} {
  const elements = listed.sets.get(stateSet)?.elements;
  const sets = new Map([...listed.sets].filter(([name]) => name !== stateSet));
  const [only] = elements instanceof Map ? elements.keys() : [];
  return { ruleset: { ...listed, sets }, state: readState(String(only)) };
}
