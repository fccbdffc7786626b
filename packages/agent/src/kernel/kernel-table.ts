import { atRest, type Place } from "../ruleset/hooks.js";
import { contentOf } from "../ruleset/difference.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import { sameRuleset, listDifferences } from "../ruleset/equality.js";
import { Conntrack } from "./conntrack.js";
import { type Count, CounterReader } from "./counters.js";
import { Exclusive } from "./command.js";
import { Generations } from "./generations.js";
import { carryOver } from "./learned.js";
import { type Lock, type OnLockChange, takeLock } from "./lock.js";
import { Monitor } from "./monitor.js";
import { type Clock, type Milliseconds, Nft } from "./nft.js";
import { NftSession } from "./nft-session.js";
import { done, failed, type Outcome } from "./outcome.js";
import { type FoundTable, type Stray, type Table, Tables } from "./tables.js";
import { recover } from "./recovery.js";
import { beginTrial, confirmTrial, endTrial, type Trial } from "./trial.js";

export interface KernelTableOptions {
  /** The name of the table. The second table has this name with the suffix `-b`. */
  readonly table: string;
  /** The bits of the connection mark that Tierwall uses. */
  readonly connectionMask: number;
  readonly onDrift?: (drift: Drift) => void;
  readonly onTrialEnd?: (end: TrialEnd) => void;
  /** Nothing is written while the lock is lost. */
  readonly onLockChange?: OnLockChange;
  /** Elements that every table has from the start. */
  readonly always?: ElementsFor;
  /** A prefix of each command, to run it in another namespace: `ip netns exec node1`. */
  readonly enter?: readonly string[];
  /** Makes bridged packets pass the rules, and returns the settings that were changed for it. Absent: nothing is changed. */
  readonly bridges?: () => Outcome<readonly string[]>;
}

/**
 * The rules of a node, as a function of the generation and of the place next to another table. It is kept, and called again when
 * a repair needs a new table.
 */
export type FrameOf = (generation: number, place: Place) => Ruleset;

/** The lines that fill the learned sets that a table has. */
export type ElementsFor = (table: {
  readonly name: string;
  readonly ruleset: Ruleset;
  /** The table before the change; absent for a new table. */
  readonly held?: Ruleset;
}) => string;

export interface Applied {
  readonly kind: "unchanged" | "changed" | "swapped" | "on trial";
  readonly table: string;
  readonly generation: number;
  /** Why a new table was needed. */
  readonly because?: string;
  /** Where nft lists something else than was written, which is a bug in Tierwall. */
  readonly unfaithful?: readonly string[];
  /** Until the rules are in force. A new table is compared after that. */
  readonly milliseconds: Milliseconds;
}

/** Another process changed the table. */
export interface Drift {
  readonly differences: readonly string[];
  /** Absent if there are no rules yet to repair it with: the next `apply` replaces the table. */
  readonly repaired?: Outcome<Applied>;
}

/** `lost`: another process changed a table during the trial. */
export type TrialEnd = "confirmed" | "given up" | "expired" | "lost";

/**
 * Tierwall's table in the kernel. There are two while one replaces the other:
 *
 *     difference   one transaction on the table; the next one removes what is no longer referenced
 *     swap         load the new table in addition to the old: both judge; empty the base chains of the old; delete it
 *     trial        both stay for a while, and a timed set determines which of them judges (trial.ts)
 *
 * Every transaction ends with the state it leads to (table-state.ts). So after an agent was killed, the next one finds either
 * the old state or the new one.
 */
export class KernelTable {
  readonly #nft: Nft;
  readonly #generations: Generations;
  readonly #counters: CounterReader;
  readonly #tables: Tables;
  readonly #monitor: Monitor;
  readonly #queue = new Exclusive();
  /** During a trial: the table to return to. */
  #current: Table | undefined;
  #trial:
    | (Trial & { readonly frameOf: FrameOf; readonly until: number; readonly timer: NodeJS.Timeout })
    | undefined;
  /** Tables with Tierwall's names that have to be removed. */
  #strays: readonly Stray[] = [];
  /** Why the table differs from what was written, if it is known to. */
  #suspect: string | undefined;
  #frameOf: FrameOf | undefined;
  /** Whether the current table is the one for the time before the first rules. */
  #isPlaceholder = false;
  #elementsFor: ElementsFor = () => "";
  #unfaithful: ReadonlySet<string> = new Set();
  #sweeping: NodeJS.Timeout | undefined;
  #stamping: NodeJS.Timeout | undefined;
  #verifying = false;
  #closing = false;
  readonly #changedSettings: string[] = [];

  private constructor(
    private readonly options: KernelTableOptions,
    private readonly lock: Lock,
    conntrack: Conntrack,
  ) {
    const command = [...(options.enter ?? []), "nft"];
    this.#nft = new Nft(command, new NftSession(command), () =>
      lock.isHeld
        ? undefined
        : `the agent lost the lock for the table \`${options.table}\` and does not write without it`,
    );
    this.#counters = new CounterReader(this.#nft);
    this.#generations = new Generations(conntrack, options.connectionMask);
    this.#tables = new Tables(this.#nft, this.#generations, this.#counters);
    this.#monitor = new Monitor({
      command: this.#nft.command,
      isInForce: (name) => this.#inForce.some((table) => table.name === name),
      isReserved: (name) => this.#names.includes(name),
      isOurs: (digest) => this.#tables.wrote(digest),
      isLearned: (set) =>
        this.#inForce.some(({ held }) => held.ruleset.sets.get(set)?.elements === "learned"),
      onForeign: () => this.#verifySoon(),
    });
  }

  static async open(options: KernelTableOptions): Promise<Outcome<KernelTable>> {
    const enter = options.enter ?? [];
    const conntrack = new Conntrack([...enter, "conntrack"]);
    const there = await conntrack.isInstalled();
    if (!there.ok) return there;
    let table: KernelTable | undefined;
    const lock = await takeLock([...enter, options.table].join(" "), undefined, (change) => {
      options.onLockChange?.(change);
      // Another agent may have written in the meantime.
      if (change === "held again" && table !== undefined) table.#verifySoon();
    });
    if (!lock.ok) return lock;
    table = new KernelTable(options, lock.value, conntrack);
    const bridged = table.#callForBridges();
    const begun = bridged.ok ? await table.#begin() : bridged;
    if (begun.ok) return done(table);
    await table.close();
    return begun;
  }

  async #begin(): Promise<Outcome<void>> {
    await Promise.all([this.#monitor.start(), this.#nft.session?.start()]);
    const recovered = await recover(this.#tables, this.#generations, this.#names);
    if (!recovered.ok) return recovered;
    this.#current = recovered.value.current;
    this.#suspect = recovered.value.suspect;
    this.#strays = recovered.value.strays;
    this.#sweepSoon();
    return this.#current ? this.#removeStrays() : done(undefined);
  }

  #callForBridges(): Outcome<void> {
    const bridges = this.options.bridges?.() ?? done([]);
    if (!bridges.ok) return bridges;
    this.#changedSettings.push(...bridges.value);
    return done(undefined);
  }

  /** The settings of the kernel that were changed for bridges. */
  get changedSettings(): readonly string[] {
    return this.#changedSettings;
  }

  get #names(): readonly string[] {
    return [this.options.table, `${this.options.table}-b`];
  }

  #placeOf(name: string): Place {
    return name === this.options.table ? "first" : "second";
  }

  get #freeName(): string {
    return this.#names.find((name) => name !== this.#current?.name)!;
  }

  get #inForce(): readonly Table[] {
    if (this.#trial) return [this.#trial.old, this.#trial.tried];
    return this.#current ? [this.#current] : [];
  }

  /** The name of the table that judges now. */
  get name(): string | undefined {
    return this.#inForce.at(-1)?.name;
  }

  /** The generation of the rules that judge now; 0 while there are none. */
  get generation(): number {
    return this.#inForce.at(-1)?.state.generation ?? 0;
  }

  /** When the current trial ends, on the clock of `performance.now()`. */
  get trialUntil(): number | undefined {
    return this.#trial?.until;
  }

  /** `elementsFor`: lines for the same transaction, which fill learned sets. */
  apply(frameOf: FrameOf, elementsFor: ElementsFor = () => ""): Promise<Outcome<Applied>> {
    return this.#queue.run(async () => {
      if (this.#trial) return failed("rules are on trial: confirm them or give them up first");
      this.#frameOf = frameOf;
      this.#elementsFor = elementsFor;
      // The bridge of a node is created with its first pod.
      const bridged = this.#callForBridges();
      const applied = await this.#apply(frameOf, this.#nft.startClock());
      this.#stampSoon();
      return applied.ok && !bridged.ok ? bridged : applied;
    });
  }

  /**
   * Rules for the time before the first `apply`, if `isWanted` accepts them in place of the current ones. They are in the second
   * table, so that the first rules are loaded as a whole and compared, as if there were none.
   */
  applyBefore(
    frameOf: FrameOf,
    isWanted: (held: Ruleset | undefined) => boolean,
  ): Promise<Outcome<Applied | undefined>> {
    return this.#queue.run(async (): Promise<Outcome<Applied | undefined>> => {
      const current = this.#current;
      if (this.#trial || this.#suspect !== undefined || !isWanted(current?.held.ruleset))
        return done(undefined);
      this.#frameOf = frameOf;
      const bridged = this.#callForBridges();
      const applied = await this.#applyPlaceholder(current, frameOf, this.#nft.startClock());
      return applied.ok && !bridged.ok ? bridged : applied;
    });
  }

  async #applyPlaceholder(
    current: Table | undefined,
    frameOf: FrameOf,
    clock: Clock,
  ): Promise<Outcome<Applied>> {
    if (current) return this.#applyTo(current, frameOf, clock);
    const swapped = await this.#swap(frameOf, clock, "there was no table", this.#names.at(-1));
    this.#isPlaceholder = swapped.ok;
    return swapped;
  }

  async #apply(frameOf: FrameOf, clock: Clock): Promise<Outcome<Applied>> {
    const current = this.#current;
    if (!current) return this.#swap(frameOf, clock, "there was no table");
    if (this.#suspect !== undefined) return this.#swap(frameOf, clock, this.#suspect);
    if (this.#isPlaceholder) return this.#swap(frameOf, clock, "pods were denied until there were rules");
    return this.#applyTo(current, frameOf, clock);
  }

  async #applyTo(current: Table, frameOf: FrameOf, clock: Clock): Promise<Outcome<Applied>> {
    const alone = await this.#removeStrays();
    if (!alone.ok) return alone;
    const { name, held, state } = current;
    const wanted = frameOf(state.generation, this.#placeOf(name));
    if (sameRuleset(atRest(held.ruleset), atRest(wanted))) {
      const { generation } = state;
      return done({ kind: "unchanged", table: name, generation, milliseconds: clock() });
    }
    return this.#change(current, frameOf, clock);
  }

  async #change(current: Table, frameOf: FrameOf, clock: Clock): Promise<Outcome<Applied>> {
    const { name, held } = current;
    const next = await this.#generations.next();
    if (!next.ok) return next;
    const { value: generation } = next;
    const ruleset = frameOf(generation, this.#placeOf(name));
    const table = { name, ruleset, held: held.ruleset };
    const elements = this.#elementsFor(table) + this.#always(table);
    const changed = await this.#tables.change(current, { ruleset, generation, elements });
    if (!changed.ok) return this.#swap(frameOf, clock, changed.message);
    this.#current = changed.value;
    this.#sweepSoon();
    return done({ kind: "changed", table: name, generation, milliseconds: clock() });
  }

  async #swap(
    frameOf: FrameOf,
    clock: Clock,
    because: string,
    name = this.#freeName,
  ): Promise<Outcome<Applied>> {
    const old = this.#current;
    const next = await this.#generations.next();
    if (!next.ok) return next;
    const generation = next.value;
    // No packet is being evaluated by a new table.
    const ruleset = atRest(frameOf(generation, this.#placeOf(name)));
    const elements = await this.#learned(name, ruleset);
    const { loaded, milliseconds } = await this.#monitor.without(async () => ({
      loaded: await this.#tables.load(name, { ruleset, generation, elements }),
      milliseconds: clock(),
    }));
    if (!loaded.ok) return loaded;
    this.#current = loaded.value;
    this.#suspect = undefined;
    this.#isPlaceholder = false;
    if (old) this.#strays = [...this.#strays, strayOf(old)];
    const found = await this.#tables.find(name);
    if (!found.ok) return found;
    this.#unfaithful = new Set(differencesOf(found.value, ruleset));
    const removed = await this.#removeStrays();
    if (!removed.ok) return removed;
    await this.#lookForStrays();
    const unfaithful = this.#unfaithful.size > 0 && { unfaithful: [...this.#unfaithful] };
    return done({
      kind: "swapped",
      table: name,
      generation,
      because,
      ...unfaithful,
      milliseconds,
    });
  }

  /** The monitor was off while the table was loaded, and an nft of an earlier agent may have loaded another table meanwhile. */
  async #lookForStrays(): Promise<void> {
    const listed = await this.#nft.ask("list", "tables", "inet");
    const ours = this.#names.filter((name) => listed.ok && listed.value.includes(`table inet ${name}\n`));
    if (ours.some((name) => !this.#inForce.some((table) => table.name === name))) this.#verifySoon();
  }

  async #learned(to: string, wanted: Ruleset): Promise<string> {
    const from = this.#current;
    const carried = from ? await carryOver(this.#nft, from.name, from.held.ruleset, to, wanted) : "";
    const table = { name: to, ruleset: wanted };
    return carried + this.#elementsFor(table) + this.#always(table);
  }

  #always(table: Parameters<ElementsFor>[0]): string {
    return this.options.always?.(table) ?? "";
  }

  async #removeStrays(): Promise<Outcome<void>> {
    for (const stray of this.#strays) {
      if (stray.name === this.#current?.name) continue;
      const gone = await this.#tables.retire(stray);
      if (!gone.ok) return gone;
    }
    this.#strays = [];
    return done(undefined);
  }

  /** Delayed: when changes are frequent, the next one removes it in the same transaction. */
  #sweepSoon(): void {
    clearTimeout(this.#sweeping);
    this.#sweeping = setTimeout(() => void this.#queue.run(() => this.#sweep()), 200);
    this.#sweeping.unref();
  }

  async #sweep(): Promise<void> {
    const current = this.#current;
    if (!current || this.#trial) return;
    const swept = await this.#tables.sweep(current);
    if (swept.ok) this.#current = swept.value;
    else this.#suspect = swept.message;
  }

  /** Queued like everything else, so that rules can change while marks are cleared. */
  #stampSoon(wait = 0): void {
    const { generation } = this;
    if (this.#closing || generation === 0 || this.#generations.isStamped(generation)) return;
    clearTimeout(this.#stamping);
    this.#stamping = setTimeout(() => void this.#queue.run(() => this.#stampAgain()), wait);
    this.#stamping.unref();
  }

  /** Rules of a generation that stamps nothing judge every packet. They are replaced as soon as all marks are clear. */
  async #stampAgain(): Promise<void> {
    const [current, frameOf] = [this.#current, this.#frameOf];
    if (!current || !frameOf || this.#trial || this.#generations.isStamped(current.state.generation)) return;
    const cleared = this.lock.isHeld
      ? await this.#generations.clearSome()
      : failed("the agent lost its lock");
    if (cleared.ok && cleared.value) await this.#change(current, frameOf, this.#nft.startClock());
    this.#stampSoon(cleared.ok ? 0 : 1000);
  }

  /** Once for all changes by other processes since the last time. */
  #verifySoon(): void {
    if (this.#verifying) return;
    this.#verifying = true;
    void this.verify();
  }

  /** Compares Tierwall's tables with what was written, and repairs them. Returns the differences. */
  verify(): Promise<Outcome<readonly string[]>> {
    return this.#queue.run(async () => {
      this.#verifying = false;
      const differences: string[] = [];
      for (const name of this.#names) {
        const found = await this.#tables.find(name);
        if (!found.ok) return found;
        const table = this.#inForce.find((one) => one.name === name);
        if (table === undefined) {
          if (found.value) differences.push(`the table ${name} was created by another process`);
          continue;
        }
        const apart = differencesOf(found.value, contentOf(table.held));
        if (found.value && found.value.state?.digest !== table.state.digest)
          apart.push("the state element differs");
        differences.push(...apart.filter((text) => !this.#unfaithful.has(text)));
      }
      const [first] = differences;
      if (first === undefined) return done(differences);
      this.#suspect = first;
      if (this.#trial) this.#forgetTrial("lost");
      const repaired = this.#frameOf && (await this.#swap(this.#frameOf, this.#nft.startClock(), first));
      this.options.onDrift?.({ differences, ...(repaired && { repaired }) });
      return done(differences);
    });
  }

  /** New rules judge for a while. Unless they are confirmed in time, the kernel returns to the old ones. */
  startTrial(frameOf: FrameOf, seconds: number): Promise<Outcome<Applied>> {
    return this.#queue.run(async () => {
      if (this.#trial) return failed("rules are on trial already: confirm them or give them up first");
      if (!this.#current || this.#suspect !== undefined) {
        return failed("there are no rules to return to: apply rules first");
      }
      const clock = this.#nft.startClock();
      const next = await this.#generations.next();
      if (!next.ok) return next;
      const { value: generation } = next;
      const name = this.#freeName;
      const ruleset = atRest(frameOf(generation, this.#placeOf(name)));
      const old = this.#current;
      const learned = await this.#learned(name, ruleset);
      const begun = await beginTrial(this.#tables, old, { name, ruleset, generation, learned }, seconds);
      if (!begun.ok) return begun;
      const timer = setTimeout(() => void this.#endTrial("expired"), seconds * 1000);
      timer.unref();
      this.#trial = { ...begun.value, frameOf, until: performance.now() + seconds * 1000, timer };
      return done({ kind: "on trial", table: name, generation, milliseconds: clock() });
    });
  }

  confirm(): Promise<Outcome<void>> {
    return this.#queue.run(async () => {
      const trial = this.#trial;
      if (!trial) return failed("no rules are on trial: the trial ended or expired");
      const kept = await confirmTrial(this.#tables, trial);
      if (!kept.ok) return kept;
      this.#current = kept.value;
      this.#frameOf = trial.frameOf;
      this.#forgetTrial("confirmed");
      return done(undefined);
    });
  }

  giveUp(): Promise<Outcome<void>> {
    return this.#endTrial("given up");
  }

  #endTrial(end: "given up" | "expired"): Promise<Outcome<void>> {
    return this.#queue.run(async () => {
      const trial = this.#trial;
      if (!trial) return failed("no rules are on trial: the trial ended or expired");
      const back = await endTrial(this.#tables, trial);
      if (back.ok) this.#current = back.value;
      else this.#suspect = back.message;
      this.#forgetTrial(end);
      return back.ok ? done(undefined) : back;
    });
  }

  #forgetTrial(end: TrialEnd): void {
    clearTimeout(this.#trial?.timer);
    this.#trial = undefined;
    this.#sweepSoon();
    this.#stampSoon();
    this.options.onTrialEnd?.(end);
  }

  /** Writes into learned sets of the tables that judge now. */
  changeElements(linesFor: ElementsFor): Promise<Outcome<void>> {
    return this.#queue.run(async () => {
      const lines = this.#inForce.map(({ name, held }) => linesFor({ name, ruleset: held.ruleset })).join("");
      return lines === "" ? done(undefined) : this.#nft.transact(lines);
    });
  }

  /** What each counter has counted since the last call. */
  counters(): Promise<Outcome<ReadonlyMap<string, Count>>> {
    return this.#queue.run(async () => {
      for (const { name } of this.#inForce) {
        const collected = await this.#counters.collect(name);
        if (!collected.ok) return collected;
      }
      return done(this.#counters.take());
    });
  }

  /** Removes everything of Tierwall. */
  cleanup(): Promise<Outcome<void>> {
    return this.#queue.run(async () => {
      this.#strays = [...this.#strays, ...this.#inForce.map(strayOf)];
      this.#current = undefined;
      if (this.#trial) this.#forgetTrial("given up");
      const removed = await this.#removeStrays();
      return removed.ok ? this.#generations.forget() : removed;
    });
  }

  /** The rules stay. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#sweeping);
    clearTimeout(this.#stamping);
    clearTimeout(this.#trial?.timer);
    await this.#queue.run(() => this.#sweep());
    this.#monitor.stop();
    await this.#nft.session?.close();
    await this.lock.release();
  }
}

const strayOf = ({ name, held }: Table): Stray => ({ name, ruleset: contentOf(held) });

function differencesOf(found: FoundTable | undefined, wanted: Ruleset): string[] {
  if (!found) return ["the table was deleted"];
  return [...found.strange.map((text) => `found ${text}`), ...listDifferences(found.ruleset, wanted)];
}
