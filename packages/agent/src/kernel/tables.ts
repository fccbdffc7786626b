import { atRest, isAtRest } from "../ruleset/at-rest.js";
import { difference, emptyTable, type Held } from "../ruleset/difference.js";
import { isNothing, nothingLeft } from "../ruleset/leftover.js";
import { parseListing } from "../ruleset/listing.js";
import { rangesToCome } from "../ruleset/preparation.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import type { CounterSums } from "./counters.js";
import type { Generations } from "./generations.js";
import { isMissing, type Nft } from "./nft.js";
import { done, failed, type Outcome } from "./outcome.js";
import { stateIn, sealed, splitState, stateSet, type TableState } from "./table-state.js";

/** A table of ours, as the kernel has it. */
export interface Table {
  readonly name: string;
  readonly held: Held;
  readonly state: TableState;
}

export interface FoundTable {
  readonly name: string;
  readonly ruleset: Ruleset;
  /** Absent where the table is not from us. */
  readonly state: TableState | undefined;
  readonly strange: readonly string[];
}

interface Wish {
  readonly ruleset: Ruleset;
  readonly generation: number;
  /** The table judges for a limited time (trial.ts). */
  readonly trial?: boolean;
  /** Lines for the same transaction, behind all others: elements of learned sets. */
  readonly elements?: string;
}

/** The moves that all changes are made of. Each is one transaction, which is read back, or a few that no packet notices. */
export class Tables {
  readonly #written: string[] = [];

  constructor(
    readonly nft: Nft,
    readonly generations: Generations,
    readonly counters: CounterSums,
  ) {}

  /** Whether this process made the transaction, one of the last hundred. */
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

  /** Makes a table, in the place of any that has its name. */
  async load(name: string, wish: Wish): Promise<Outcome<Table>> {
    const first: Ruleset = { ...emptyTable.ruleset, sets: rangesToCome(emptyTable, wish.ruleset) };
    const preparing = difference(name, emptyTable, first);
    const loading = difference(name, { ruleset: first, leftover: nothingLeft }, wish.ruleset);
    if (preparing.kind === "impossible") return failed(preparing.because);
    if (loading.kind === "impossible") return failed(loading.because);
    const begin = `table inet ${name}\ndelete table inet ${name}\n`;
    // Without a state: who is killed now leaves a table that is nobody's.
    const prepared =
      first.sets.size === 0 ? done(undefined) : await this.nft.transact(begin + preparing.transaction);
    if (!prepared.ok) return prepared;
    const text = first.sets.size === 0 ? begin + loading.transaction : loading.transaction;
    const state = await this.#commit(name, text, undefined, wish);
    if (!state.ok && first.sets.size > 0) await this.nft.transact(`delete table inet ${name}\n`);
    if (!state.ok) return state;
    return done({ name, held: { ruleset: wish.ruleset, leftover: nothingLeft }, state: state.value });
  }

  /** Turns a table into another in place. */
  async change(table: Table, wish: Wish): Promise<Outcome<Table>> {
    const ready = await this.#prepare(table, wish.ruleset);
    if (!ready.ok) return ready;
    const { name, held, state } = ready.value;
    const change = difference(name, held, wish.ruleset);
    if (change.kind === "impossible") return failed(change.because);
    // Counters leave with what they counted for.
    if (held.leftover.counters.size > 0) await this.counters.collect(name);
    const next = await this.#commit(name, change.transaction, state, wish);
    if (!next.ok) return next;
    return done({ name, held: { ruleset: wish.ruleset, leftover: change.leftover }, state: next.value });
  }

  async #prepare(table: Table, wanted: Ruleset): Promise<Outcome<Table>> {
    const { name, held, state } = table;
    const ranges = rangesToCome(held, wanted);
    if (ranges.size === 0) return done(table);
    const { ruleset, leftover } = held;
    const prepared = { ...ruleset, sets: new Map([...ruleset.sets, ...ranges]) };
    const change = difference(name, { ruleset, leftover: nothingLeft }, prepared);
    if (change.kind === "impossible") return failed(change.because);
    // Not read back: the state of the change that follows tells of both.
    const next = await this.#send(name, change.transaction, state, { ...state, ruleset });
    if (!next.outcome.ok) return next.outcome;
    // Nothing refers to them yet: should the change fail, they go with the next transaction.
    const left = { ...leftover, sets: new Map([...leftover.sets, ...ranges]) };
    return done({ name, held: { ruleset, leftover: left }, state: next.state });
  }

  /** Removes what the last change left over, and what there was for packets on their way. */
  async sweep(table: Table): Promise<Outcome<Table>> {
    const { ruleset, leftover } = table.held;
    if (isNothing(leftover) && isAtRest(ruleset)) return done(table);
    return this.change(table, { ...table.state, ruleset: atRest(ruleset) });
  }

  /**
   * Takes a table away without a packet noticing: once its base chains are empty nothing goes in any more, and what is
   * in there walks to its end.
   */
  async retire({
    name,
    ruleset,
  }: {
    readonly name: string;
    readonly ruleset: Ruleset;
  }): Promise<Outcome<void>> {
    const base = [...ruleset.chains].filter(([, chain]) => chain.hook !== undefined);
    const emptied = await this.nft.transact(
      base.map(([chain]) => `flush chain inet ${name} ${chain}\n`).join(""),
    );
    if (!emptied.ok && !isMissing(emptied)) return emptied;
    await this.counters.collect(name);
    const deleted = await this.nft.transact(`delete table inet ${name}\n`);
    return deleted.ok || isMissing(deleted) ? done(undefined) : deleted;
  }

  /** A transaction, and what it led to. */
  async #commit(
    name: string,
    transaction: string,
    before: TableState | undefined,
    wish: Wish,
  ): Promise<Outcome<TableState>> {
    const { outcome, state } = await this.#send(name, transaction, before, wish);
    if (!outcome.ok && !outcome.interrupted) return outcome;
    const set = await this.nft.objects("list", "set", "inet", name, stateSet);
    const found = set.ok ? stateIn(set.value) : undefined;
    if (found?.digest === state.digest) return done(state);
    if (!outcome.ok) return outcome;
    return failed(`the table \`${name}\` was changed by somebody else in the same moment`);
  }

  async #send(
    name: string,
    transaction: string,
    before: TableState | undefined,
    { generation, trial = false, elements = "" }: Wish,
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
