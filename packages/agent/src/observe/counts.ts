import { existsSync, readFileSync } from "node:fs";
import { isObject } from "@tierwall/core/manifest";
import { messageOf } from "@tierwall/kube";
import { type Count, sumOf } from "../kernel/counters.js";
import type { BookEntry } from "../ruleset/program.js";
import { counterOf, newCounterOf } from "../ruleset/vocabulary.js";
import { type Decider, deciderOf } from "./decider.js";
import type { RuleVersions } from "./rule-versions.js";

/** One reading of the kernel's counters. */
export interface CounterReading {
  readonly at: Date;
  /** What was counted since the previous one, by name in the table: `r_<id>` and `n_<id>` of a rule, `unknown_egress`, … */
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
  readonly at: string;
  /** By name of the counter. */
  readonly sums: Readonly<Record<string, Sum>>;
}

/** By how much a counter grew between two readings. */
export interface Growth extends Count {
  readonly name: string;
  readonly entry?: BookEntry;
}

/** How long a rule without pods on this node is remembered, and how many of them. */
const remembered = { milliseconds: 30 * 24 * 3_600_000, rules: 20_000 };

/** Sums up counters over swaps of the table, restarts of the agent and of the node. */
export class Counts {
  #at: string;
  readonly #sums: Map<string, Sum>;
  /** Counted by rules that are not known yet, or were forgotten. */
  readonly #unattributed = new Map<string, Count>();

  constructor(
    private readonly node: string,
    saved?: SavedCounts,
  ) {
    this.#at = saved?.at ?? "";
    this.#sums = new Map(Object.entries(saved?.sums ?? {}));
  }

  /** Returns what was counted, and which rule counted it: one in the table (`book`), or one that was removed since (`versions`). */
  read(
    { at, counters }: CounterReading,
    book: ReadonlyMap<string, BookEntry>,
    versions: Pick<RuleVersions, "get"> = book,
  ): readonly Growth[] {
    const time = at.toISOString();
    const grown: Growth[] = [];
    for (const [name, count] of counters) {
      const growth = sumOf(count, this.#unattributed.get(name));
      const entry = entryOf(name, versions);
      const sum = this.#sums.get(name);
      if (sum === undefined && entry === undefined && isOfRule(name)) {
        this.#unattributed.set(name, growth);
        continue;
      }
      this.#unattributed.delete(name);
      this.#sums.set(name, added(name, sum, growth, time, entry, entryOf(name, book) !== undefined));
      if (growth.packets > 0) grown.push({ name, ...growth, ...(entry === undefined ? {} : { entry }) });
    }
    this.#at = time;
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
    return { version: 1, node: this.node, at: this.#at, sums: Object.fromEntries(this.#sums) };
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
    ...sumOf(growth, sum),
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
  const { version, node, sums } = value;
  return version === 1 && typeof node === "string" && isObject(sums);
}
