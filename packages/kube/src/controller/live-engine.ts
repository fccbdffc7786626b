import { type Changes, compile, type Engine, type Update } from "@tierwall/core/engine";
import type { Inventory } from "@tierwall/core/model";
import { changedEntries } from "@tierwall/core/state";
import type { Situation } from "../cluster/situation.js";

/**
 * The present situation of a cluster, and its engine. The engine is one object for as long as the process runs, and takes
 * changes in place.
 *
 *   source ──► follow(situation) ──► engine ──► listeners
 */
export class LiveEngine {
  private current: { readonly situation: Situation; readonly engine: Engine } | undefined;
  private readonly listeners = new Set<(situation: Situation) => void>();

  /** Absent until the first situation came. */
  get situation(): Situation | undefined {
    return this.current?.situation;
  }

  get engine(): Engine | undefined {
    return this.current?.engine;
  }

  /** Calls back on every change from now on. Gives back how to stop that. */
  listen(listener: (situation: Situation) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /**
   * Takes the next situation. With `onChanges`, reports which pairs have another answer, which takes longer: those that
   * policies change and those that pods change one after the other, so that a pair may be reported twice. None for the first situation.
   */
  follow(situation: Situation, onChanges?: (changes: Changes) => void): void {
    const before = this.current?.situation;
    const engine = this.current?.engine ?? compile(situation.cluster, situation.tiers);
    for (const update of before === undefined ? [] : updatesBetween(before, situation))
      if (onChanges === undefined) engine.follow(update);
      else onChanges(engine.update(update));
    this.current = { situation, engine };
    for (const listener of this.listeners) listener(situation);
  }
}

/**
 * What leads from one situation to the next. Where only policies and pods change, as is usual, each by itself costs the
 * engine what it touches; both at once would have it compiled again.
 */
function updatesBetween(before: Situation, after: Situation): readonly Update[] {
  const pods = changedEntries(before.cluster.pods, after.cluster.pods);
  const namespaces = changedEntries(before.cluster.namespaces, after.cluster.namespaces);
  const nodes = changedEntries(before.cluster.nodes, after.cluster.nodes);
  const rest = changedRest(before.cluster, after.cluster);
  const policies: Update = {
    ...(before.tiers === after.tiers ? {} : { tiers: after.tiers }),
    ...(rest === undefined ? {} : { rest }),
  };
  const places: Update = {
    ...(namespaces.size === 0 ? {} : { namespaces }),
    ...(nodes.size === 0 ? {} : { nodes }),
  };
  const ends: Update = pods.size === 0 ? {} : { pods };
  const updates = isEmpty(places) ? [policies, ends] : [{ ...policies, ...places, ...ends }];
  return updates.filter((update) => !isEmpty(update));
}

const isEmpty = (update: Update): boolean => Object.keys(update).length === 0;

function changedRest(before: Inventory, after: Inventory): Update["rest"] {
  const parts = (["services", "workloads", "cidrGroups", "facts"] as const).filter(
    (part) => before[part] !== after[part],
  );
  return parts.length === 0 ? undefined : Object.fromEntries(parts.map((part) => [part, after[part]]));
}
