import { performance } from "node:perf_hooks";
import { difference, emptyTable } from "../ruleset/difference.js";
import { isNothing, nothingLeft, standing } from "../ruleset/leftover.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import { sameRuleset, tellApart } from "../ruleset/sameness.js";
import { callRulesForBridges } from "./bridges.js";
import { Conntrack } from "./conntrack.js";
import { type Count, CounterSums } from "./counters.js";
import { Exclusive } from "./exclusive.js";
import { Generations } from "./generations.js";
import { carryOver, renewal, type TimedElement } from "./learned.js";
import { type Lock, takeLock } from "./lock.js";
import { Monitor } from "./monitor.js";
import { Nft } from "./nft.js";
import { done, failed, type Outcome } from "./outcome.js";
import { asFound, type FoundTable, type Table, Tables } from "./tables.js";

export interface KernelTableOptions {
  /** The name of our table; the one that takes turns with it has `-b` behind it. */
  readonly table: string;
  /** The bits of the connection mark that are ours. */
  readonly connectionMask: number;
  readonly onDrift?: (drift: Drift) => void;
  /** Words before each command, to run it elsewhere: `ip netns exec node1`. */
  readonly enter?: readonly string[];
  /** Makes bridged packets pass our rules; answers with the settings that were changed for it. */
  readonly bridges?: () => Outcome<readonly string[]>;
}

/** Somebody else changed our table. */
export interface Drift {
  readonly differences: readonly string[];
  /** Absent where there is nothing to repair it with yet: the next `apply` does. */
  readonly repaired?: Outcome<Applied>;
}

export interface Applied {
  readonly kind: "unchanged" | "changed" | "swapped";
  readonly table: string;
  readonly generation: number;
  /** Why a new table was needed. */
  readonly because?: string;
  /** Where the kernel prints something else than was written: a defect of ours. */
  readonly unfaithful?: readonly string[];
  readonly milliseconds: { readonly compute: number; readonly nft: number };
}

export type FrameOf = (generation: number) => Ruleset;

/**
 * Our table in the kernel. It is there twice while one takes the place of the other:
 *
 *     difference   one transaction on the table; what nothing refers to any more goes with the next one
 *     swap         load the new table beside the old: both judge; empty the base chains of the old; delete it
 *
 * Every transaction ends with the state it leads to (table-state.ts), so that an agent that was killed is succeeded by one
 * that finds either the old or the new.
 */
export class KernelTable {
  readonly #options: KernelTableOptions;
  readonly #nft: Nft;
  readonly #tables: Tables;
  readonly #generations: Generations;
  readonly #counters: CounterSums;
  readonly #monitor: Monitor;
  readonly #queue = new Exclusive();
  readonly #lock: Lock;
  #current: Table | undefined;
  /** Tables of ours that are in the way, and why they are not taken as they are. */
  #strays: readonly FoundTable[] = [];
  #suspect: string | undefined;
  #frameOf: FrameOf | undefined;
  #unfaithful: ReadonlySet<string> = new Set();
  #sweeping: NodeJS.Timeout | undefined;

  private constructor(
    options: KernelTableOptions,
    lock: Lock,
    conntrack: Conntrack,
    /** Settings of the kernel that had to be changed for bridges. */
    readonly changedSettings: readonly string[],
  ) {
    const enter = options.enter ?? [];
    this.#options = options;
    this.#lock = lock;
    this.#nft = new Nft([...enter, "nft"]);
    this.#tables = new Tables(this.#nft);
    this.#counters = new CounterSums(this.#nft);
    this.#generations = new Generations(conntrack, options.connectionMask);
    this.#monitor = new Monitor({
      command: this.#nft.command,
      isWatched: (table) => table === this.#current?.name,
      isOurs: (digest) => this.#tables.wrote(digest),
      isLearned: (set) => this.#current?.held.ruleset.sets.get(set)?.elements === "learned",
      onForeign: (what) => void this.verify(what),
    });
  }

  static async open(options: KernelTableOptions): Promise<Outcome<KernelTable>> {
    const enter = options.enter ?? [];
    const conntrack = new Conntrack([...enter, "conntrack"]);
    const there = await conntrack.isThere();
    if (!there.ok) return there;
    const bridges = (options.bridges ?? callRulesForBridges)();
    if (!bridges.ok) return bridges;
    const lock = await takeLock([...enter, options.table].join(" "));
    if (!lock.ok) return lock;
    const table = new KernelTable(options, lock.value, conntrack, bridges.value);
    const begun = await table.#begin();
    if (begun.ok) return done(table);
    await table.close();
    return begun;
  }

  async #begin(): Promise<Outcome<void>> {
    await this.#monitor.start();
    const found: FoundTable[] = [];
    for (const name of this.#names) {
      const table = await this.#tables.find(name);
      if (!table.ok) return table;
      if (table.value) found.push(table.value);
    }
    // The newer one is whole: it came in one transaction. The older one was about to go.
    found.sort((a, b) => (b.state?.sequence ?? -1) - (a.state?.sequence ?? -1));
    const [newest, ...older] = found;
    if (newest?.state) {
      this.#generations.follow(newest.state);
      this.#current = asFound(newest, newest.state);
      if (newest.strange.length > 0) this.#suspect = `found ${newest.strange[0]}`;
      this.#strays = older;
      return this.#removeStrays();
    }
    this.#strays = found;
    return done(undefined);
  }

  get #names(): readonly [string, string] {
    return [this.#options.table, `${this.#options.table}-b`];
  }

  /** The generation of the rules that judge now; 0 while there are none. */
  get generation(): number {
    return this.#current?.state.generation ?? 0;
  }

  apply(frameOf: FrameOf): Promise<Outcome<Applied>> {
    return this.#queue.run(() => this.#apply(frameOf));
  }

  async #apply(frameOf: FrameOf): Promise<Outcome<Applied>> {
    const clock = new Clock();
    this.#frameOf = frameOf;
    const current = this.#current;
    if (!current) return this.#swap(frameOf, clock, "there was no table");
    if (this.#suspect !== undefined) return this.#swap(frameOf, clock, this.#suspect);
    const { generation } = current.state;
    if (sameRuleset(current.held.ruleset, frameOf(generation))) {
      return done({ kind: "unchanged", table: current.name, generation, milliseconds: clock.read() });
    }
    const next = await this.#generations.next();
    if (!next.ok) return next;
    const wanted = frameOf(next.value);
    const change = difference(current.name, current.held, wanted);
    if (change.kind === "impossible") return this.#swap(frameOf, clock, change.because);
    const outcome = await clock.nft(async () => {
      await this.#collectLeftover(current);
      return this.#tables.commit(current, change.transaction, this.#following(next.value));
    });
    if (!outcome.ok) return this.#swap(frameOf, clock, outcome.message);
    this.#current = {
      name: current.name,
      held: { ruleset: wanted, leftover: change.leftover },
      state: outcome.value,
    };
    this.#sweepSoon();
    const milliseconds = clock.read();
    return done({ kind: "changed", table: current.name, generation: next.value, milliseconds });
  }

  #following(generation: number): Omit<Table["state"], "digest"> {
    const { spent } = this.#generations;
    return { sequence: this.#generations.sequence(), generation, spent, trial: false };
  }

  async #swap(frameOf: FrameOf, clock: Clock, because: string): Promise<Outcome<Applied>> {
    const old = this.#current;
    const next = await this.#generations.next();
    if (!next.ok) return next;
    const wanted = frameOf(next.value);
    const [first, second] = this.#names;
    const name = old?.name === first ? second : first;
    const loading = difference(name, emptyTable, wanted);
    if (loading.kind === "impossible") return failed(loading.because);
    const loaded = await clock.nft(async () => {
      const learned = old ? await carryOver(this.#nft, old.name, old.held.ruleset, name, wanted) : "";
      const text = `table inet ${name}
delete table inet ${name}
${loading.transaction}${learned}`;
      return this.#tables.commit({ name }, text, this.#following(next.value));
    });
    if (!loaded.ok) return loaded;
    this.#current = { name, held: { ruleset: wanted, leftover: nothingLeft }, state: loaded.value };
    this.#suspect = undefined;
    const found = await clock.nft(() => this.#tables.find(name));
    if (!found.ok) return found;
    this.#unfaithful = new Set(differencesOf(found.value, wanted));
    if (old) this.#strays = [...this.#strays, { ...old, ruleset: old.held.ruleset, strange: [] }];
    const removed = await clock.nft(() => this.#removeStrays());
    if (!removed.ok) return removed;
    return done({
      kind: "swapped",
      table: name,
      generation: next.value,
      because,
      ...(this.#unfaithful.size > 0 && { unfaithful: [...this.#unfaithful] }),
      milliseconds: clock.read(),
    });
  }

  async #removeStrays(): Promise<Outcome<void>> {
    for (const { name, ruleset } of this.#strays) {
      if (name === this.#current?.name) continue;
      const gone = await this.#tables.retire(name, ruleset, () => this.#counters.collect(name));
      if (!gone.ok) return gone;
    }
    this.#strays = [];
    return done(undefined);
  }

  /** Counters leave with what they counted for. */
  async #collectLeftover({ name, held }: Table): Promise<void> {
    if (held.leftover.counters.size > 0) await this.#counters.collect(name);
  }

  #sweepSoon(): void {
    clearTimeout(this.#sweeping);
    this.#sweeping = setTimeout(() => void this.#queue.run(() => this.#sweep()), 200);
    this.#sweeping.unref();
  }

  async #sweep(): Promise<void> {
    const current = this.#current;
    if (!current || isNothing(current.held.leftover)) return;
    const { ruleset } = current.held;
    const change = difference(current.name, current.held, ruleset);
    if (change.kind === "impossible") return;
    await this.#collectLeftover(current);
    const swept = await this.#tables.commit(
      current,
      change.transaction,
      this.#following(current.state.generation),
    );
    if (swept.ok) {
      this.#current = { name: current.name, held: { ruleset, leftover: nothingLeft }, state: swept.value };
    } else this.#suspect = swept.message;
  }

  /** Compares all of our table with what was written, and repairs it. */
  verify(_why: string): Promise<Outcome<Applied | undefined>> {
    return this.#queue.run(async () => {
      const current = this.#current;
      if (!current) return done(undefined);
      const found = await this.#tables.find(current.name);
      if (!found.ok) return found;
      const differences = differencesOf(found.value, standing(current.held)).filter(
        (text) => !this.#unfaithful.has(text),
      );
      if (found.value && found.value.state?.digest !== current.state.digest)
        differences.push("state is another");
      if (differences.length === 0) return done(undefined);
      this.#suspect = differences[0]!;
      const frameOf = this.#frameOf;
      const repaired = frameOf && (await this.#swap(frameOf, new Clock(), this.#suspect));
      this.#options.onDrift?.({ differences, ...(repaired && { repaired }) });
      return repaired ?? done(undefined);
    });
  }

  /** Into sets that are learned while the agent runs. */
  addElements(set: string, elements: readonly TimedElement[]): Promise<Outcome<void>> {
    return this.#queue.run(async () => {
      const current = this.#current;
      if (!current) return failed(`the set \`${set}\` is not in the kernel yet`);
      return this.#nft.transact(renewal(current.name, set, elements));
    });
  }

  /** What each counter has counted since this process began, with what was in the kernel then. */
  counters(): Promise<Outcome<ReadonlyMap<string, Count>>> {
    return this.#queue.run(async () => {
      const current = this.#current;
      const collected = current ? await this.#counters.collect(current.name) : done(undefined);
      return collected.ok ? done(this.#counters.sums) : collected;
    });
  }

  /** Removes everything of ours. */
  cleanup(): Promise<Outcome<void>> {
    return this.#queue.run(async () => {
      if (this.#current)
        this.#strays = [
          ...this.#strays,
          { ...this.#current, ruleset: this.#current.held.ruleset, strange: [] },
        ];
      this.#current = undefined;
      const removed = await this.#removeStrays();
      return removed.ok ? this.#generations.forget() : removed;
    });
  }

  /** The rules stay. */
  async close(): Promise<void> {
    clearTimeout(this.#sweeping);
    await this.#queue.run(() => this.#sweep());
    this.#monitor.stop();
    await this.#lock.release();
  }
}

function differencesOf(found: FoundTable | undefined, wanted: Ruleset): string[] {
  if (!found) return ["the table is gone"];
  return [...found.strange.map((text) => `found ${text}`), ...tellApart(found.ruleset, wanted)];
}

/** How long things took, and how much of it was nft. */
class Clock {
  readonly #since = performance.now();
  #nft = 0;

  async nft<T>(work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const result = await work();
    this.#nft += performance.now() - since;
    return result;
  }

  read(): Applied["milliseconds"] {
    return { compute: performance.now() - this.#since - this.#nft, nft: this.#nft };
  }
}
