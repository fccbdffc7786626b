import type { Decider } from "../../evaluate/walk.js";
import type { Direction, Isolation, TierName } from "../../policy/model.js";
import { holds } from "../../sets/column-sets.js";
import type { EndClass } from "../classes/ends.js";
import { areIndependent } from "../compile/independent-facts.js";
import { isolatingOf } from "./isolated.js";
import { columnOf, type Other } from "../compile/layer.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { isSure, type Item } from "../compile/rule-items.js";
import type { View } from "../compile/view.js";

/** All that the policies of one end say about one other end. */
export interface Cell {
  readonly layers: readonly CellLayer[];
  /** S1.6: the other end is the node that the subject runs on, and opens the connection. */
  readonly fromOwnNode: boolean;
  readonly isExternal: boolean;
}

interface CellLayer {
  readonly tier: TierName;
  readonly items: readonly Item[];
  readonly isolation: readonly Isolation[];
}

/** `other` is an end of which it is known on which node it is, where that matters. */
export function cellAt(view: View, direction: Direction, subject: EndClass, other: Other): Cell {
  const isExternal = other.kind === "external";
  const column = isExternal ? other.atom : columnOf(other);
  const fromOwnNode = direction === "ingress" && other.kind === "host" && other.nearness === "own-node";
  const layers = view.layers[direction].map(({ tier, rows, inside, outside }): CellLayer => {
    const row = rows.rows[rows.rowOf[subject.index]!]!;
    const items = (isExternal ? outside : inside).itemsOf(row).filter(({ set }) => holds(set, column));
    const isolation = fromOwnNode || row.isolation.length === 0 ? [] : isolatingOf(tier, row);
    return { tier: tier.name, items, isolation };
  });
  return { layers, fromOwnNode, isExternal };
}

/** A speaker whose turn came, or would have come. */
export interface Turn {
  readonly by: Decider;
  /** The ports it speaks of; those that are surely still open, and those that may be, or that it may take. */
  readonly wanted: PortSetId;
  readonly taken: PortSetId;
  readonly perhaps: PortSetId;
}

/** What is still to be decided: surely, or if some fact that is not known is so. */
interface Open {
  surely: PortSetId;
  perhaps: PortSetId;
}

/**
 * Everybody who speaks of the cell, in the order of their turns; `all` are the ports that there are. Undefined where
 * who takes a port hangs on facts that several of them share.
 */
export function turnsIn(
  { layers, fromOwnNode, isExternal }: Cell,
  ports: PortSets,
  all: PortSetId,
): readonly Turn[] | undefined {
  const maybe = layers.some(({ items }) => items.some(({ effect }) => effect === "Maybe"));
  if (maybe && !(isExternal && areIndependent(layers.flatMap(({ items }) => items)))) return undefined;
  const turns: Turn[] = [];
  let open: Open = { surely: all, perhaps: noPorts };
  for (const { tier, items, isolation } of layers) {
    const passed: Open = { surely: noPorts, perhaps: noPorts };
    for (const { rule, ports: written, effect } of items) {
      const wanted = ports.intersect(written, all);
      if (wanted === noPorts) continue;
      const certain = isSure(effect);
      const met = ports.intersect(open.surely, wanted);
      const alsoMet = ports.intersect(open.perhaps, wanted);
      const taken = certain ? met : noPorts;
      const perhaps = certain ? alsoMet : ports.union(met, alsoMet);
      turns.push({ by: { kind: "rule", tier, rule }, wanted, taken, perhaps });
      open = {
        surely: ports.subtract(open.surely, wanted),
        perhaps: certain ? ports.subtract(open.perhaps, wanted) : ports.union(open.perhaps, met),
      };
      // S1.3: what is passed is open for the next tier.
      if (rule.action !== "Pass") continue;
      passed.surely = ports.union(passed.surely, taken);
      passed.perhaps = ports.union(passed.perhaps, perhaps);
    }
    if (isolation.length > 0) {
      const by = { kind: "isolation", tier, isolation } as const;
      turns.push({ by, wanted: all, taken: open.surely, perhaps: open.perhaps });
      open = passed;
    } else
      open = {
        surely: ports.union(open.surely, passed.surely),
        perhaps: ports.union(open.perhaps, passed.perhaps),
      };
  }
  const by = { kind: fromOwnNode ? "own-node" : "default" } as const;
  return [...turns, { by, wanted: all, taken: open.surely, perhaps: open.perhaps }];
}

/** Those who took something, or may, that the speaker of a later turn wanted. */
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
