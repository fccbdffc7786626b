import type { Isolation, TierName } from "../../policy/model.js";
import type { Decider } from "../../evaluate/walk.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { areIndependent } from "../compile/independent-facts.js";
import type { Item } from "../compile/rule-items.js";
import type { CellStates, Taken } from "./cell-states.js";

/** All rules that match one pair of classes, tier by tier. */
export interface Cell {
  readonly layers: readonly CellLayer[];
  /** S1.6: the other end is the node that the subject runs on, and opens the connection. */
  readonly fromOwnNode: boolean;
  readonly isExternal: boolean;
}

export interface CellLayer {
  readonly tier: TierName;
  readonly items: readonly Item[];
  readonly isolation: readonly Isolation[];
}

/** A rule, isolation or default, with the ports it matches and those it decides. */
export interface Turn {
  readonly by: Decider;
  readonly wanted: PortSetId;
  readonly taken: PortSetId;
  readonly perhaps: PortSetId;
}

/**
 * Every decider that matches the cell, in order; `all` are the ports that exist. Undefined where the decider depends on
 * facts that several rules share.
 */
export function turnsIn(
  { layers, fromOwnNode, isExternal }: Cell,
  states: CellStates,
  ports: PortSets,
  all: PortSetId,
): readonly Turn[] | undefined {
  const maybe = layers.some(({ items }) => items.some(({ effect }) => effect === "Maybe"));
  if (maybe && !(isExternal && areIndependent(layers.flatMap(({ items }) => items)))) return undefined;
  const turns: Turn[] = [];
  const add = (by: Decider, wanted: PortSetId, { surely, perhaps }: Taken) => {
    turns.push({ by, wanted, taken: surely, perhaps });
  };
  let state = states.startWith(all);
  for (const { tier, items, isolation } of layers) {
    for (const { rule, ports: written, step } of items) {
      const wanted = ports.intersect(written, all);
      if (wanted !== noPorts) add({ kind: "rule", tier, rule }, wanted, states.taken(state, step));
      state = states.take(state, step);
    }
    if (isolation.length > 0) {
      add({ kind: "isolation", tier, isolation }, all, states.open(state));
      state = states.isolate(state);
    }
    state = states.nextTier(state);
  }
  add({ kind: fromOwnNode ? "own-node" : "default" }, all, states.open(state));
  return turns;
}

/** The deciders that took, or may have taken, ports that a later one matches. */
export function takersBefore(turns: readonly Turn[], position: number, ports: PortSets): readonly Decider[] {
  const { by, wanted } = turns[position]!;
  return turns
    .slice(0, position)
    .filter(
      (turn) =>
        ports.intersect(ports.union(turn.taken, turn.perhaps), wanted) !== noPorts && keepsFrom(turn.by, by),
    )
    .map((turn) => turn.by);
}

/** S1.3: what a rule passes is kept from the rest of its own tier only. */
function keepsFrom(taker: Decider, later: Decider): boolean {
  if (taker.kind !== "rule") return true;
  if (later.kind === "rule" && later.rule === taker.rule) return false;
  return taker.rule.action !== "Pass" || ("tier" in later && later.tier === taker.tier);
}
