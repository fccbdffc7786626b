import { mostRuns } from "../../evaluate/facts.js";
import type { Decider } from "../../evaluate/walk.js";
import type { Isolation, TierName } from "../../policy/model.js";
import { takersBefore, type Turn } from "../walk/cell-walk.js";
import type { LiteralTurn } from "../walk/literal-turns.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";

/** What becomes of a rule, of isolation, or of the default, for one end. */
export type DeciderEffect =
  | { readonly kind: "decides" }
  /** If facts that are not known are so. */
  | { readonly kind: "may-decide" }
  /** The deciders that take what it could decide, most frequent first; empty if it never matches. */
  | { readonly kind: "never"; readonly takenBy: readonly Decider[] };

type Key = object | string;

interface Entry {
  decides: "surely" | "possibly" | "no";
  readonly takers: Map<Key, { readonly by: Decider; count: number }>;
}

/** Collects, meeting by meeting, who decides and who is kept from it. */
export class DeciderEffects {
  private readonly entries = new Map<Key, Entry>();

  /** Undefined for one who never had a turn. */
  of(by: Decider): DeciderEffect | undefined {
    const entry = this.entries.get(keyOf(by));
    if (entry === undefined) return undefined;
    if (entry.decides === "surely") return { kind: "decides" };
    if (entry.decides === "possibly") return { kind: "may-decide" };
    const takers = [...entry.takers.values()].toSorted((a, b) => b.count - a.count);
    return { kind: "never", takenBy: together(takers.map((taker) => taker.by)) };
  }

  /** The turns in each of the places where the other end may be: sure is what holds in all of them. */
  addTurns(places: readonly (readonly Turn[])[], ports: PortSets): void {
    const isSure = (by: Decider) => places.length === 1 || isTakenInAll(keyOf(by), places, ports);
    for (const turns of places)
      for (const [i, { by, taken, perhaps }] of turns.entries())
        if (taken !== noPorts) this.decide(by, isSure);
        else if (perhaps !== noPorts) this.decide(by, () => false);
        else this.keep(by, () => takersBefore(turns, i, ports));
  }

  /** The turns for one connection, for each set of answers to the unknown facts. */
  addRuns(runs: readonly (readonly LiteralTurn[])[]): void {
    // At the limit, some sets of answers were not tried: then no decider is known to decide, or never to decide.
    const areAll = runs.length < mostRuns;
    const isSure = (by: Decider) => areAll && runs.every((run) => isDecidedBy(keyOf(by), run));
    for (const run of runs)
      for (const { by, keptBy } of run)
        if (keptBy === undefined || !areAll) this.decide(by, isSure);
        else this.keep(by, () => [keptBy]);
  }

  private decide(by: Decider, isSure: (by: Decider) => boolean): void {
    const entry = this.entry(by);
    if (entry.decides !== "surely") entry.decides = isSure(by) ? "surely" : "possibly";
  }

  /** Who is in the way is asked only while nothing better is known. */
  private keep(by: Decider, takers: () => readonly Decider[]): void {
    const entry = this.entry(by);
    if (entry.decides !== "no") return;
    for (const taker of takers())
      for (const [key, part] of partsOf(taker)) {
        const known = entry.takers.get(key);
        if (known === undefined) entry.takers.set(key, { by: part, count: 1 });
        else known.count++;
      }
  }

  private entry(by: Decider): Entry {
    const known = this.entries.get(keyOf(by));
    if (known !== undefined) return known;
    const made: Entry = { decides: "no", takers: new Map() };
    this.entries.set(keyOf(by), made);
    return made;
  }
}

/** All that isolates in a tier speaks as one. */
function keyOf(by: Decider): Key {
  if (by.kind === "rule") return by.rule;
  return by.kind === "isolation" ? `isolation ${by.tier}` : by.kind;
}

/** As takers, isolating policies are counted separately, because they differ from pod to pod. */
function partsOf(by: Decider): readonly (readonly [Key, Decider])[] {
  return by.kind === "isolation"
    ? by.isolation.map((entry) => [entry, { ...by, isolation: [entry] }] as const)
    : [[keyOf(by), by]];
}

/** Merges the isolating policies of each tier into one decider, at the position of the first of them. */
function together(takers: readonly Decider[]): readonly Decider[] {
  const isolation = new Map<TierName, Isolation[]>();
  const found: Decider[] = [];
  for (const taker of takers) {
    const known = taker.kind === "isolation" ? isolation.get(taker.tier) : undefined;
    if (taker.kind !== "isolation") found.push(taker);
    else if (known !== undefined) known.push(...taker.isolation);
    else {
      const all = [...taker.isolation];
      isolation.set(taker.tier, all);
      found.push({ ...taker, isolation: all });
    }
  }
  return found;
}

/** Whether there are ports that one takes wherever the other end is. */
function isTakenInAll(key: Key, places: readonly (readonly Turn[])[], ports: PortSets): boolean {
  const inEach = places.map((turns) =>
    turns
      .filter(({ by }) => keyOf(by) === key)
      .reduce<PortSetId>((sum, { taken }) => ports.union(sum, taken), noPorts),
  );
  return inEach.reduce((a, b) => ports.intersect(a, b)) !== noPorts;
}

const isDecidedBy = (key: Key, run: readonly LiteralTurn[]): boolean =>
  run.some(({ by, keptBy }) => keptBy === undefined && keyOf(by) === key);
