import type { Cluster } from "../../cluster/model.js";
import {
  type ConnectionVerdict,
  evaluateDirection,
  type Verdict,
  type WalkVerdict,
} from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Decider } from "../../evaluate/walk.js";
import type { Direction } from "../../policy/model.js";
import { holds } from "../../sets/column-sets.js";
import type { EndClass } from "../classes/ends.js";
import { columnOf, type Layer, type Other } from "../compile/layer.js";
import type { Layout } from "../compile/layout.js";
import type { PlacedSet } from "./row-work.js";
import { isSettled, silent, uncertain } from "../compile/outcomes.js";
import { isolatingOf } from "./isolated.js";
import type { Item } from "../compile/rule-items.js";
import type { PortSets } from "../../sets/port-sets.js";
import type { TierTable } from "../compile/tier-table.js";
import type { View } from "../compile/view.js";

/** Who decided a connection, in each direction. */
export interface FlowExplanation {
  readonly verdict: Verdict;
  readonly egress: DirectionExplanation;
  readonly ingress: DirectionExplanation;
}

export interface DirectionExplanation {
  readonly verdict: Verdict;
  /** The one who decides; those who may, while facts are missing (S9.1). */
  readonly deciders: readonly Decider[];
}

/** S1.4 */
export const noWalk: DirectionExplanation = { verdict: "Allow", deciders: [{ kind: "no-walk" }] };
export const byDefault: DirectionExplanation = { verdict: "Allow", deciders: [{ kind: "default" }] };
export const byOwnNode: DirectionExplanation = { verdict: "Allow", deciders: [{ kind: "own-node" }] };

export function explanationOf({ verdict, egress, ingress }: ConnectionVerdict): FlowExplanation {
  return { verdict, egress: directionOf(egress), ingress: directionOf(ingress) };
}

export function directionOf({ verdict, decisions }: WalkVerdict): DirectionExplanation {
  return { verdict, deciders: decisions.map(({ by }) => by) };
}

/** Who decides about one connection at the end `subject`: the tables tell the tier, and its rules are then looked through. */
export function explainDirection(
  view: View,
  cluster: Cluster,
  direction: Direction,
  subject: EndClass,
  other: Other,
  flow: Flow,
): DirectionExplanation {
  if (subject.kind === "host") return noWalk;
  const isExternal = other.kind === "external";
  const isUnplaced = other.kind === "host" && other.nearness === "unknown-node";
  const column = isExternal ? other.atom : columnOf(other);
  const { outcomes } = view;
  for (const layer of view.layers[direction]) {
    const table = isExternal ? layer.outside : layer.inside;
    const row = layer.rows.rowOf[subject.index]!;
    const outcome = isUnplaced ? uncertain : table.at(row, column);
    if (outcome === silent) continue;
    if (!isSettled(outcome)) {
      const tiers = view.literalTiers(direction, subject);
      return directionOf(evaluateDirection(direction, cluster, { egress: tiers, ingress: tiers }, flow));
    }
    const said = (ports: readonly number[]) =>
      outcomes.ports.contains(ports[outcome]!, flow.protocol, flow.port);
    const verdict = said(outcomes.allows) ? "Allow" : said(outcomes.denies) ? "Deny" : "next";
    if (verdict === "next") continue;
    return { verdict, deciders: [deciderIn(layer, table, outcomes.ports, row, column, verdict, flow)] };
  }
  const isOwnNode = direction === "ingress" && other.kind === "host" && other.nearness === "own-node";
  return isOwnNode ? byOwnNode : byDefault;
}

/** S1.1: where it is known what the tier says, the first rule that matches and says so; S1.2: or else its isolation. */
function deciderIn(
  { tier, rows }: Layer,
  table: TierTable,
  ports: PortSets,
  number: number,
  column: number,
  verdict: "Allow" | "Deny",
  { protocol, port }: Flow,
): Decider {
  const row = rows.rows[number]!;
  const { layout } = table;
  const at = layout.columnOf[column]!;
  for (const { set, ports: wanted, rule } of saying(verdict, table.itemsOf(row)))
    if (isIn(layout, layout.of(set), at) && ports.contains(wanted, protocol, port))
      return { kind: "rule", tier: tier.name, rule };
  return { kind: "isolation", tier: tier.name, isolation: isolatingOf(tier, row) };
}

const known = {
  Allow: new WeakMap<readonly Item[], readonly Item[]>(),
  Deny: new WeakMap<readonly Item[], readonly Item[]>(),
};

/** Those parts of rules that say this. */
function saying(verdict: "Allow" | "Deny", all: readonly Item[]): readonly Item[] {
  const found = known[verdict].get(all) ?? all.filter(({ effect }) => effect === verdict);
  known[verdict].set(all, found);
  return found;
}

/** Whether a column of the table is in a set. */
export function isIn({ kindOf }: Layout, set: PlacedSet, column: number): boolean {
  const { wholeKinds, bits } = set;
  if (wholeKinds.length > 0 && wholeKinds.includes(kindOf[column]!)) return true;
  return bits === undefined ? holds(set, column) : ((bits[column >>> 5]! >>> (column & 31)) & 1) === 1;
}
