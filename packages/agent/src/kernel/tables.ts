import { atRest, isAtRest } from "../ruleset/hooks.js";
import {
  difference,
  emptyTable,
  type Held,
  isNothing,
  nothingLeft,
  rangesToCome,
} from "../ruleset/difference.js";
import { parseListing } from "../ruleset/listing.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import type { CounterReader } from "./counters.js";
import type { Generations } from "./generations.js";
import { isMissing, type Nft } from "./nft.js";
import { done, failed, type Outcome } from "./outcome.js";
import { stateIn, sealed, splitState, stateSet, type TableState } from "./table-state.js";

/** A table of Tierwall, as the kernel has it. */
export interface Table {
  readonly name: string;
  readonly held: Held;
  readonly state: TableState;
}

/** A table that has to be removed. */
export interface Stray {
  readonly name: string;
  readonly ruleset: Ruleset;
}

export interface FoundTable extends Stray {
  /** Absent if another process created the table. */
  readonly state: TableState | undefined;
  readonly strange: readonly string[];
}

interface WantedTable {
  readonly ruleset: Ruleset;
  readonly generation: number;
  /** The table judges for a limited time (trial.ts). */
  readonly trial?: boolean;
  /** Lines at the end of the same transaction: elements of learned sets. */
  readonly elements?: string;
}

/** The steps of which all changes consist. Each is one transaction, which is read back, or a few that affect no packet. */
export class Tables {
  readonly #written: string[] = [];

  constructor(
    readonly nft: Nft,
    readonly generations: Generations,
    readonly counters: CounterReader,
  ) {}

  /** Whether this process wrote the transaction; the last hundred are known. */
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

  /** Creates a table, and replaces any table of that name. */
  async load(name: string, wanted: WantedTable): Promise<Outcome<Table>> {
    const first: Ruleset = { ...emptyTable.ruleset, sets: rangesToCome(emptyTable, wanted.ruleset) };
    const preparing = difference(name, emptyTable, first);
    const loading = difference(name, { ruleset: first, leftover: nothingLeft }, wanted.ruleset);
    if (preparing.kind === "impossible") return failed(preparing.because);
    if (loading.kind === "impossible") return failed(loading.because);
    const begin = `table inet ${name}\ndelete table inet ${name}\n`;
    // Without a state: if the agent is killed now, the next one does not take the table for its own.
    const prepared =
      first.sets.size === 0 ? done(undefined) : await this.nft.transact(begin + preparing.transaction);
    if (!prepared.ok) return prepared;
    const text = first.sets.size === 0 ? begin + loading.transaction : loading.transaction;
    const state = await this.#commit(name, text, undefined, wanted);
    if (!state.ok && first.sets.size > 0) await this.nft.transact(`delete table inet ${name}\n`);
    if (!state.ok) return state;
    return done({ name, held: { ruleset: wanted.ruleset, leftover: nothingLeft }, state: state.value });
  }

  /** Changes a table in place. */
  async change(table: Table, wanted: WantedTable): Promise<Outcome<Table>> {
    const ready = await this.#prepare(table, wanted.ruleset);
    if (!ready.ok) return ready;
    const { name, held, state } = ready.value;
    const change = difference(name, held, wanted.ruleset);
    if (change.kind === "impossible") return failed(change.because);
    // The transaction deletes these counters, so they are read before.
    if (held.leftover.counters.size > 0) await this.counters.collect(name);
    const next = await this.#commit(name, change.transaction, state, wanted);
    if (!next.ok) return next;
    return done({ name, held: { ruleset: wanted.ruleset, leftover: change.leftover }, state: next.value });
  }

  async #prepare(table: Table, wanted: Ruleset): Promise<Outcome<Table>> {
    const { name, held, state } = table;
    const ranges = rangesToCome(held, wanted);
    if (ranges.size === 0) return done(table);
    const { ruleset, leftover } = held;
    const prepared = { ...ruleset, sets: new Map([...ruleset.sets, ...ranges]) };
    const change = difference(name, { ruleset, leftover: nothingLeft }, prepared);
    if (change.kind === "impossible") return failed(change.because);
    // Not read back: the state of the following change covers both.
    const next = await this.#send(name, change.transaction, state, { ...state, ruleset });
    if (!next.outcome.ok) return next.outcome;
    // Nothing refers to them yet: if the change fails, the next transaction removes them.
    const left = { ...leftover, sets: new Map([...leftover.sets, ...ranges]) };
    return done({ name, held: { ruleset, leftover: left }, state: next.state });
  }

  /** Removes what the last change left over, and the chains for packets that were being evaluated during it. */
  async sweep(table: Table): Promise<Outcome<Table>> {
    const { ruleset, leftover } = table.held;
    if (isNothing(leftover) && isAtRest(ruleset)) return done(table);
    return this.change(table, { ...table.state, ruleset: atRest(ruleset) });
  }

  /**
   * Removes a table without affecting packets: once its base chains are empty, no packet enters it, and those in it finish
   * their evaluation.
   */
  async retire({ name, ruleset }: Stray): Promise<Outcome<void>> {
    const base = [...ruleset.chains].filter(([, chain]) => chain.hook !== undefined);
    const emptied = await this.nft.transact(
      base.map(([chain]) => `flush chain inet ${name} ${chain}\n`).join(""),
    );
    if (!emptied.ok && !isMissing(emptied)) return emptied;
    await this.counters.collect(name);
    const deleted = await this.nft.transact(`delete table inet ${name}\n`);
    return deleted.ok || isMissing(deleted) ? done(undefined) : deleted;
  }

  /** Sends a transaction and reads back the resulting state. */
  async #commit(
    name: string,
    transaction: string,
    before: TableState | undefined,
    wanted: WantedTable,
  ): Promise<Outcome<TableState>> {
    const { outcome, state } = await this.#send(name, transaction, before, wanted);
    if (!outcome.ok && !outcome.interrupted) return outcome;
    const set = await this.nft.objects("list", "set", "inet", name, stateSet);
    const found = set.ok ? stateIn(set.value) : undefined;
    if (found?.digest === state.digest) return done(state);
    if (!outcome.ok) return outcome;
    return failed(`another process changed the table \`${name}\` at the same time`);
  }

  async #send(
    name: string,
    transaction: string,
    before: TableState | undefined,
    { generation, trial = false, elements = "" }: WantedTable,
  ) {
    const { spent } = this.generations;
    const next = { sequence: this.generations.sequence(), generation, spent, trial };
    const { text, state } = sealed(name, transaction + elements, before, next);
    this.#written.push(state.digest);
    if (this.#written.length > 100) this.#written.shift();
    return { outcome: await this.nft.transact(text), state };
  }
}

export const asFound = ({ name, ruleset }: FoundTable, state: TableState): Table => ({
  name,
  held: { ruleset, leftover: nothingLeft },
  state,
});
