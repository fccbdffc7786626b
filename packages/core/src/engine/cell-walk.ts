import type { Decider } from "../evaluate/walk.js";
import type { Direction, Isolation, TierName } from "../policy/model.js";
import { holds } from "./column-sets.js";
import type { EndClass } from "./ends.js";
import { isolatingOf } from "./isolated.js";
import { columnOf, type Other } from "./layer.js";
import { noPorts, type PortSetId, type PortSets } from "./port-sets.js";
import type { Item } from "./rule-items.js";
import type { View } from "./view.js";

/** All that the policies of one end say about one other end. */
export interface Cell {
  readonly layers: readonly CellLayer[];
  /** S1.6: the other end is the node that the subject runs on, and opens the connection. */
  readonly fromOwnNode: boolean;
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
  return { layers, fromOwnNode };
}

/** A speaker whose turn came, or would have come: the ports it speaks of, and those that were still open. */
export interface Turn {
  readonly by: Decider;
  readonly wanted: PortSetId;
  readonly taken: PortSetId;
}

/**
 * Everybody who speaks of the cell, in the order of their turns; `all` are the ports that there are. Undefined where
 * who takes a port hangs on a fact that is not known.
 */
export function turnsIn(
  { layers, fromOwnNode }: Cell,
  ports: PortSets,
  all: PortSetId,
): readonly Turn[] | undefined {
  const turns: Turn[] = [];
  let open = all;
  for (const { tier, items, isolation } of layers) {
    let passed = noPorts;
    for (const { rule, ports: written, effect } of items) {
      const wanted = ports.intersect(written, all);
      if (wanted === noPorts) continue;
      const taken = ports.intersect(open, wanted);
      if (effect === "Maybe" && taken !== noPorts) return undefined;
      turns.push({ by: { kind: "rule", tier, rule }, wanted, taken });
      open = ports.subtract(open, wanted);
      // S1.3: what is passed is open for the next tier.
      if (rule.action === "Pass") passed = ports.union(passed, taken);
    }
    if (isolation.length > 0) {
      turns.push({ by: { kind: "isolation", tier, isolation }, wanted: all, taken: open });
      open = passed;
    } else open = ports.union(open, passed);
  }
  return [...turns, { by: { kind: fromOwnNode ? "own-node" : "default" }, wanted: all, taken: open }];
}

/** Those who took something that the speaker of a later turn wanted. */
export function takersBefore(turns: readonly Turn[], position: number, ports: PortSets): readonly Decider[] {
  const { by, wanted } = turns[position]!;
  return turns
    .slice(0, position)
    .filter((turn) => ports.intersect(turn.taken, wanted) !== noPorts && keepsFrom(turn.by, by))
    .map((turn) => turn.by);
}

/** S1.3: what a rule passes is kept from the rest of its own tier only. */
function keepsFrom(taker: Decider, later: Decider): boolean {
  if (taker.kind !== "rule") return true;
  if (later.kind === "rule" && later.rule === taker.rule) return false;
  return taker.rule.action !== "Pass" || ("tier" in later && later.tier === taker.tier);
}
