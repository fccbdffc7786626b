import { type Changes, type Cluster, compile, type Engine, type Update } from "@tierwall/core";
import type { Situation } from "../situation.js";

/** What a situation changed, told when the engine has it. */
export interface EngineChange {
  readonly situation: Situation;
  /** The one before; absent for the first. */
  readonly before: Situation | undefined;
  /**
   * Which pairs have another answer. Those that policies change and those that pods change are told one after the other,
   * so that a pair may be told of twice. Empty for the first situation.
   */
  readonly changes: Changes;
  readonly milliseconds: number;
}

/**
 * The present situation of a cluster, and its engine. The engine is one object for as long as the process runs, and takes
 * changes in place: whoever keeps answers across a change compares them with `version`.
 *
 *   source ──► take(situation) ──► engine.update ──► listeners
 */
export class LiveEngine {
  private current: { readonly situation: Situation; readonly engine: Engine } | undefined;
  private readonly listeners = new Set<(change: EngineChange) => void>();
  private taken = 0;

  /** Absent until the first situation came. */
  get situation(): Situation | undefined {
    return this.current?.situation;
  }

  get engine(): Engine | undefined {
    return this.current?.engine;
  }

  /** Grows with every situation. */
  get version(): number {
    return this.taken;
  }

  /** Tells somebody of every change from now on. Gives back how to stop that. */
  listen(listener: (change: EngineChange) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  take(situation: Situation): EngineChange {
    const began = performance.now();
    const before = this.current?.situation;
    const engine = this.current?.engine ?? compile(situation.cluster, situation.tiers);
    const updates = before === undefined ? [] : updatesBetween(before, situation);
    const changes = together(updates.map((update) => engine.update(update)));
    this.current = { situation, engine };
    this.taken++;
    const change = { situation, before, changes, milliseconds: performance.now() - began };
    for (const listener of this.listeners) listener(change);
    return change;
  }
}

/**
 * What leads from one situation to the next. Where only policies and pods change, as is usual, each by itself costs the
 * engine what it touches; both at once would have it compiled again.
 */
function updatesBetween(before: Situation, after: Situation): readonly Update[] {
  const pods = changed(before.cluster.pods, after.cluster.pods);
  const namespaces = changed(before.cluster.namespaces, after.cluster.namespaces);
  const nodes = changed(before.cluster.nodes, after.cluster.nodes);
  const rest = changedRest(before.cluster, after.cluster);
  const policies: Update = {
    ...(before.tiers === after.tiers ? {} : { tiers: after.tiers }),
    ...(rest === undefined ? {} : { rest }),
  };
  const places: Update = {
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(nodes === undefined ? {} : { nodes }),
  };
  const ends: Update = pods === undefined ? {} : { pods };
  const updates = isEmpty(places) ? [policies, ends] : [{ ...policies, ...places, ...ends }];
  return updates.filter((update) => !isEmpty(update));
}

const isEmpty = (update: Update): boolean => Object.keys(update).length === 0;

function changedRest(before: Cluster, after: Cluster): Update["rest"] {
  const parts = (["services", "workloads", "cidrGroups", "facts"] as const).filter(
    (part) => before[part] !== after[part],
  );
  return parts.length === 0 ? undefined : Object.fromEntries(parts.map((part) => [part, after[part]]));
}

/** Undefined where nothing did. */
function changed<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): ReadonlyMap<string, T | undefined> | undefined {
  if (before === after) return undefined;
  const found = new Map<string, T | undefined>();
  for (const [key, value] of after) if (before.get(key) !== value) found.set(key, value);
  for (const key of before.keys()) if (!after.has(key)) found.set(key, undefined);
  return found.size === 0 ? undefined : found;
}

function together(all: readonly Changes[]): Changes {
  return {
    appeared: all.flatMap(({ appeared }) => appeared),
    disappeared: all.flatMap(({ disappeared }) => disappeared),
    pairs: all.flatMap(({ pairs }) => pairs),
  };
}
