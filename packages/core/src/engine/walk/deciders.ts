import type { Cluster } from "../../cluster/model.js";
import { evaluateDirection } from "../../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Direction } from "../../policy/model.js";
import type { EndClass } from "../classes/ends.js";
import {
  byDefault,
  byOwnNode,
  type DirectionExplanation,
  directionOf,
  isIn,
  noWalk,
} from "./explain-flow.js";
import { columnOf, type Layer, type Other } from "../compile/layer.js";
import { isSettled, silent, uncertain } from "../compile/outcomes.js";
import { cutAt, noPorts, portAt, type PortSetId } from "../../sets/port-sets.js";
import type { Sayings } from "./sayings.js";
import type { TierTable } from "../compile/tier-table.js";
import type { Row } from "../compile/tier-rows.js";
import type { View } from "../compile/view.js";

/** Ports about which the same decide in one direction. */
export interface DecidedPorts {
  readonly ports: PortSetId;
  readonly said: DirectionExplanation;
}

/** Two members of the classes that are asked about; they are looked for only where facts are missing. */
export type SomeEnds = () => { readonly source: Endpoint; readonly destination: Endpoint };

/**
 * Who decides about whole sets of ports, for classes of ends: what `explain` says about each single port, at the cost of
 * the rules that match rather than of the ports they tell apart.
 */
export class Deciders {
  private readonly inLongRows = new Map<TierTable, Map<number, Map<PortSetId, readonly DecidedPorts[]>>>();
  private readonly uncertain = new Map<string, readonly DecidedPorts[]>();

  constructor(
    private readonly view: View,
    private readonly cluster: Cluster,
    private readonly sayings: Sayings,
  ) {}

  /** At the end `subject`. */
  of(
    direction: Direction,
    subject: EndClass,
    other: Other,
    wanted: PortSetId,
    ends: SomeEnds,
  ): readonly DecidedPorts[] {
    if (subject.kind === "host") return [{ ports: wanted, said: noWalk }];
    const { outcomes } = this.view;
    const { ports } = outcomes;
    const isExternal = other.kind === "external";
    const isUnplaced = other.kind === "host" && other.nearness === "unknown-node";
    const column = isExternal ? other.atom : columnOf(other);
    const found: DecidedPorts[] = [];
    let open = wanted;
    for (const layer of this.view.layers[direction]) {
      const table = isExternal ? layer.outside : layer.inside;
      const row = layer.rows.rowOf[subject.index]!;
      const outcome = isUnplaced ? uncertain : table.at(row, column);
      if (outcome === silent) continue;
      if (!isSettled(outcome)) {
        const key = `${direction} ${subject.index} ${isUnplaced ? "unplaced" : ""} ${isExternal} ${column} ${open}`;
        const known = this.uncertain.get(key) ?? this.literally(direction, subject, isExternal, open, ends);
        this.uncertain.set(key, known);
        return found.length === 0 ? known : [...found, ...known];
      }
      const decided = ports.intersect(
        open,
        ports.union(outcomes.allows[outcome]!, outcomes.denies[outcome]!),
      );
      if (decided === noPorts) continue;
      const parts = this.inTier(layer, table, row, column, decided);
      if (decided === wanted) return parts;
      for (const part of parts) found.push(part);
      open = ports.subtract(open, decided);
      if (open === noPorts) return found;
    }
    const isOwnNode = direction === "ingress" && other.kind === "host" && other.nearness === "own-node";
    found.push({ ports: open, said: isOwnNode ? byOwnNode : byDefault });
    return found;
  }

  /** Rows of cluster-wide tiers are long, and their columns are few: what they say is remembered. */
  private inTier(
    layer: Layer,
    table: TierTable,
    number: number,
    column: number,
    decided: PortSetId,
  ): readonly DecidedPorts[] {
    const row = layer.rows.rows[number]!;
    const at = table.layout.columnOf[column]!;
    if (table.itemsOf(row).length < longRow) return this.among(layer, table, row, at, decided);
    const cells = this.inLongRows.get(table) ?? new Map<number, Map<PortSetId, readonly DecidedPorts[]>>();
    this.inLongRows.set(table, cells);
    const cell = number * table.layout.columns + at;
    const byPorts = cells.get(cell) ?? new Map<PortSetId, readonly DecidedPorts[]>();
    cells.set(cell, byPorts);
    const known = byPorts.get(decided) ?? this.among(layer, table, row, at, decided);
    byPorts.set(decided, known);
    return known;
  }

  /** S1.1: each port is for the first rule that matches; S1.2: what is left is for isolation. All of them are decided here. */
  private among(
    { tier }: Layer,
    table: TierTable,
    row: Row,
    column: number,
    decided: PortSetId,
  ): readonly DecidedPorts[] {
    const { ports: sets } = this.view.outcomes;
    const { layout } = table;
    const found: DecidedPorts[] = [];
    let open = decided;
    for (const { set, ports, effect, rule } of table.itemsOf(row)) {
      const taken = sets.intersect(open, ports);
      if (taken === noPorts || !isIn(layout, layout.of(set), column)) continue;
      // What is passed on, or hangs on facts, is none of what is decided here.
      if (effect === "Allow" || effect === "Deny")
        found.push({ ports: taken, said: this.sayings.ofRule(tier.name, rule, effect) });
      open = sets.subtract(open, taken);
      if (open === noPorts) return found;
    }
    found.push({ ports: open, said: this.sayings.ofRow(tier, row) });
    return found;
  }

  /** S9.1: where facts are missing, one port of each interval is asked about. */
  private literally(
    direction: Direction,
    subject: EndClass,
    isExternal: boolean,
    wanted: PortSetId,
    ends: SomeEnds,
  ): readonly DecidedPorts[] {
    const { view, cluster } = this;
    const { ports } = view.outcomes;
    const tiers = view.literalTiers(direction, subject);
    const found = new Map<DirectionExplanation, PortSetId>();
    const family = view.family === undefined ? {} : { family: view.family };
    const some = ends();
    const points = view.pointsOf(direction, subject, isExternal);
    for (const [first, behind] of cutAt(ports.bordersOf(wanted), points)) {
      const flow: Flow = { ...some, ...portAt(first), ...family };
      const said = this.sayings.shared(
        directionOf(evaluateDirection(direction, cluster, { egress: tiers, ingress: tiers }, flow)),
      );
      const interval = ports.import(Uint32Array.of(first, behind));
      found.set(said, ports.union(found.get(said) ?? noPorts, interval));
    }
    return Array.from(found, ([said, its]) => ({ said, ports: its }));
  }
}

/** Fewer items are looked through as fast as they are remembered. */
const longRow = 24;
