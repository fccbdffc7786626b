import type { Held } from "../ruleset/difference.js";
import { nothingLeft } from "../ruleset/leftover.js";
import { parseListing } from "../ruleset/listing.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import { isMissing, type Nft } from "./nft.js";
import { done, failed, type Outcome } from "./outcome.js";
import { readState, sealed, splitState, stateSet, type TableState } from "./table-state.js";

/** A table of ours, as the kernel has it. */
export interface Table {
  readonly name: string;
  readonly held: Held;
  readonly state: TableState;
}

export interface FoundTable {
  readonly name: string;
  readonly ruleset: Ruleset;
  /** Absent where somebody else made or changed the table. */
  readonly state: TableState | undefined;
  readonly strange: readonly string[];
}

/** Reads and writes whole transactions, and knows again which were ours. */
export class Tables {
  /** The digests of the last transactions of this process. */
  readonly #written: string[] = [];

  constructor(readonly nft: Nft) {}

  wrote(digest: string): boolean {
    return this.#written.includes(digest);
  }

  async find(name: string): Promise<Outcome<FoundTable | undefined>> {
    const listed = await this.nft.list("table", "inet", name);
    if (isMissing(listed)) return done(undefined);
    if (!listed.ok) return listed;
    const { ruleset, strange } = parseListing(listed.value);
    return done({ name, strange, ...splitState(ruleset) });
  }

  /** Commits a transaction on a table, and reads back that it is the last one there. */
  async commit(
    table: Table | { readonly name: string; readonly state?: undefined },
    transaction: string,
    next: Omit<TableState, "digest">,
  ): Promise<Outcome<TableState>> {
    const { text, state } = sealed(table.name, transaction, table.state, next);
    this.#written.push(state.digest);
    if (this.#written.length > 100) this.#written.shift();
    const outcome = await this.nft.transact(text);
    if (!outcome.ok && !outcome.interrupted) return outcome;
    const set = await this.nft.list("set", "inet", table.name, stateSet);
    const found = set.ok ? readState(set.value) : undefined;
    if (found?.digest === state.digest) return done(state);
    if (!outcome.ok) return outcome;
    return failed(`the table \`${table.name}\` was changed by somebody else in the same moment`);
  }

  /**
   * Takes a table away without a packet noticing: once its base chains are empty nothing goes in any more, and what is
   * in there is let walk to its end.
   */
  async retire(name: string, ruleset: Ruleset, collect: () => Promise<unknown>): Promise<Outcome<void>> {
    const base = [...ruleset.chains].filter(([, chain]) => chain.hook !== undefined);
    const emptied = await this.nft.transact(
      base.map(([chain]) => `flush chain inet ${name} ${chain}\n`).join(""),
    );
    if (!emptied.ok && !isMissing(emptied)) return emptied;
    await collect();
    const deleted = await this.nft.transact(`delete table inet ${name}\n`);
    return deleted.ok || isMissing(deleted) ? done(undefined) : deleted;
  }
}

export const asFound = ({ name, ruleset }: FoundTable, state: TableState): Table => ({
  name,
  held: { ruleset, leftover: nothingLeft },
  state,
});
