import { existsSync, readFileSync } from "node:fs";
import { isObject } from "@tierwall/core/manifest";
import { messageOf } from "@tierwall/kube";
import type { Count } from "../kernel/counters.js";
import type { BookEntry } from "../ruleset/program.js";
import { counterOf, newCounterOf } from "../ruleset/vocabulary.js";
import { type Decider, deciderOf } from "./decider.js";
import type { RuleVersions } from "./rule-versions.js";

/** One reading of the kernel's counters. */
export interface CounterReading {
  readonly at: Date;
  /** Identifies a run of counting. Another one starts at zero: another table, or another run of the agent. */
  readonly origin: string;
  /** By their names in the table: `r_<id>` and `n_<id>` of a rule, `unknown_egress`, … */
  readonly counters: ReadonlyMap<string, Count>;
}

/** The sum of one counter, over all tables that had it and all runs of the agent. */
export interface Sum extends Count {
  /** Absent for counters that do not count the decisions of a rule. */
  readonly decider?: Decider;
  readonly firstSeen: string;
  /** The last reading in which it had grown. */
  readonly lastHit?: string;
  /** Since when no rule of this node has it. It can return with the next pod. */
  readonly goneSince?: string;
}

/** The content of the state file. */
export interface SavedCounts {
  readonly version: 1;
  readonly node: string;
  readonly origin: string;
  readonly at: string;
  /** By name of the counter. */
  readonly sums: Readonly<Record<string, Sum>>;
  /** The last values in the kernel, from which growth is computed. */
  readonly seen: Readonly<Record<string, Count>>;
}

/** By how much a counter grew between two readings. */
export interface Growth extends Count {
  readonly name: string;
  readonly entry?: BookEntry;
}

/** How long a rule without pods on this node is remembered, and how many of them. */
const remembered = { milliseconds: 30 * 24 * 3_600_000, rules: 20_000 };

const nothing: Count = { packets: 0, bytes: 0 };

/** Sums up counters over swaps of the table, restarts of the agent and of the node. */
export class Counts {
  #origin: string;
  #at: string;
  readonly #sums: Map<string, Sum>;
  #seen: Map<string, Count>;

  constructor(
    private readonly node: string,
    saved?: SavedCounts,
  ) {
    this.#origin = saved?.origin ?? "";
    this.#at = saved?.at ?? "";
    this.#sums = new Map(Object.entries(saved?.sums ?? {}));
    this.#seen = new Map(Object.entries(saved?.seen ?? {}));
  }

  /**
   * Returns everything that was counted since the previous reading, and which rule counted it: one in the table (`book`), or one
   * that was removed since (`versions`).
   */
  read(
    { at, origin, counters }: CounterReading,
    book: ReadonlyMap<string, BookEntry>,
    versions: Pick<RuleVersions, "get"> = book,
  ): readonly Growth[] {
    const before = origin === this.#origin ? this.#seen : new Map<string, Count>();
    const time = at.toISOString();
    const grown: Growth[] = [];
    const seen = new Map<string, Count>();
    for (const [name, count] of counters) {
      const growth = growthOf(count, before.get(name));
      const entry = entryOf(name, versions);
      const sum = this.#sums.get(name);
      // A rule that is not known yet, or was forgotten. It is not marked as seen, so that nothing is lost if it becomes known.
      if (sum === undefined && entry === undefined && isOfRule(name)) continue;
      seen.set(name, count);
      this.#sums.set(name, added(name, sum, growth, time, entry, entryOf(name, book) !== undefined));
      if (growth.packets > 0) grown.push({ name, ...growth, ...(entry === undefined ? {} : { entry }) });
    }
    this.#origin = origin;
    this.#at = time;
    // A counter that disappeared is forgotten here: if it returns, it starts at zero.
    this.#seen = seen;
    this.#forget(at, book);
    return grown;
  }

  get(name: string): Sum | undefined {
    return this.#sums.get(name);
  }

  /** Of every rule that is in the table, by name of its counter. */
  present(): ReadonlyMap<string, Sum> {
    return new Map([...this.#sums].filter(([, { goneSince }]) => goneSince === undefined));
  }

  saved(): SavedCounts {
    return {
      version: 1,
      node: this.node,
      origin: this.#origin,
      at: this.#at,
      sums: Object.fromEntries(this.#sums),
      seen: Object.fromEntries(this.#seen),
    };
  }

  #forget(at: Date, book: ReadonlyMap<string, BookEntry>): void {
    const gone: [string, number][] = [];
    for (const [name, sum] of this.#sums) {
      if (!isOfRule(name) || entryOf(name, book) !== undefined) continue;
      const since = sum.goneSince ?? at.toISOString();
      if (sum.goneSince === undefined) this.#sums.set(name, { ...sum, goneSince: since });
      gone.push([name, Date.parse(since)]);
    }
    gone.sort(([, a], [, b]) => b - a);
    gone.forEach(([name, since], i) => {
      if (i >= remembered.rules || at.getTime() - since > remembered.milliseconds) this.#sums.delete(name);
    });
  }
}

/** A smaller value: another process reset it, or the node was restarted. All of it was counted since then. */
function growthOf(now: Count, before: Count = nothing): Count {
  if (now.packets < before.packets || now.bytes < before.bytes) return now;
  return { packets: now.packets - before.packets, bytes: now.bytes - before.bytes };
}

function added(
  name: string,
  sum: Sum | undefined,
  growth: Count,
  time: string,
  entry: BookEntry | undefined,
  isPresent: boolean,
): Sum {
  const lastHit = growth.packets > 0 ? time : sum?.lastHit;
  const decides = entry !== undefined && name === counterOf(entry.id);
  const decider = decides ? deciderOf(entry) : sum?.decider;
  return {
    ...(decider === undefined ? {} : { decider }),
    packets: (sum?.packets ?? 0) + growth.packets,
    bytes: (sum?.bytes ?? 0) + growth.bytes,
    firstSeen: sum?.firstSeen ?? time,
    ...(lastHit === undefined ? {} : { lastHit }),
    ...(isPresent || sum?.goneSince === undefined ? {} : { goneSince: sum.goneSince }),
  };
}

const ofRule = new RegExp(`^(?:${counterOf("")}|${newCounterOf("")})`);
const isOfRule = (counter: string): boolean => ofRule.test(counter);

function entryOf(counter: string, book: Pick<RuleVersions, "get">): BookEntry | undefined {
  return isOfRule(counter) ? book.get(counter.replace(ofRule, "")) : undefined;
}

/** The saved state, or a message why it cannot be read; neither if there is no file yet. */
interface StateReading {
  readonly saved?: SavedCounts;
  readonly problem?: string;
}

export function readStateFile(file: string): StateReading {
  if (!existsSync(file)) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isSavedCounts(value)) return { saved: value };
    return { problem: `\`${file}\` is not a state file of the agent, or is from another version` };
  } catch (cause) {
    return { problem: `cannot read \`${file}\`: ${messageOf(cause)}` };
  }
}

function isSavedCounts(value: unknown): value is SavedCounts {
  if (!isObject(value)) return false;
  const { version, node, sums, seen } = value;
  return version === 1 && typeof node === "string" && isObject(sums) && isObject(seen);
}
