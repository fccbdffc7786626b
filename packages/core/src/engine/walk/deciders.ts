import type { Cluster } from "../../cluster/model.js";
import { evaluateDirection } from "../../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Direction } from "../../policy/model.js";
import { cutAt, noPorts, portAt, type PortSetId } from "../../sets/port-sets.js";
import type { EndClass } from "../classes/ends.js";
import { columnOf, type Layer, type Other } from "../compile/layer.js";
import type { Row } from "../compile/tier-rows.js";
import type { TierTable } from "../compile/tier-table.js";
import type { View } from "../compile/view.js";
import { byDefault, byOwnNode, type DirectionExplanation, directionOf, noWalk } from "./explanation.js";
import { isSettled, type OutcomeId, silent, uncertain } from "./outcomes.js";
import type { SharedExplanations } from "./shared-explanations.js";

/** Ports that the same deciders decide in one direction. */
export interface DecidedPorts {
  readonly ports: PortSetId;
  readonly said: DirectionExplanation;
}

/** Two members of the classes in question; they are looked for only where facts are missing. */
export type SomeEnds = () => { readonly source: Endpoint; readonly destination: Endpoint };

/** A pair of classes, as the tables of a direction know it. */
interface Place {
  readonly subject: EndClass;
  readonly column: number;
  readonly isExternal: boolean;
  /** S1.6: whether the pod runs on this host is not known. */
  readonly isUnplaced: boolean;
}

/** Who decides, for one connection or for all ports between two classes: the tables give the tier, its rules the rest. */
export class Deciders {
  private readonly inLongRows = new Map<TierTable, Map<number, Map<PortSetId, readonly DecidedPorts[]>>>();
  private readonly uncertain = new Map<string, readonly DecidedPorts[]>();

  constructor(
    private readonly view: View,
    private readonly cluster: Cluster,
    private readonly explanations: SharedExplanations,
  ) {}

  /** Who decides about one connection at the end `subject`. */
  at(direction: Direction, subject: EndClass, other: Other, flow: Flow): DirectionExplanation {
    if (subject.kind === "host") return noWalk;
    const { outcomes } = this.view;
    const { ports } = outcomes;
    const isIn = (set: PortSetId) => ports.contains(set, flow.protocol, flow.port);
    for (const [layer, outcome] of this.outcomes(direction, placeOf(subject, other))) {
      if (!isSettled(outcome)) return this.literally(direction, subject, flow);
      const decided = [outcomes.allows[outcome]!, outcomes.denies[outcome]!].find(isIn);
      if (decided !== undefined)
        return this.inTier(layer, placeOf(subject, other), decided).find((part) => isIn(part.ports))!.said;
    }
    return defaultFor(direction, other);
  }

  /** Who decides about each of the wanted ports at the end `subject`. */
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
    const place = placeOf(subject, other);
    const found: DecidedPorts[] = [];
    let open = wanted;
    for (const [layer, outcome] of this.outcomes(direction, place)) {
      if (!isSettled(outcome)) return [...found, ...this.uncertainly(direction, place, open, ends)];
      const said = ports.union(outcomes.allows[outcome]!, outcomes.denies[outcome]!);
      const decided = ports.intersect(open, said);
      if (decided === noPorts) continue;
      found.push(...this.inTier(layer, place, decided));
      open = ports.subtract(open, decided);
      if (open === noPorts) return found;
    }
    return [...found, { ports: open, said: defaultFor(direction, other) }];
  }

  /** The tiers that say something about a pair, in order. */
  private *outcomes(direction: Direction, place: Place): Iterable<readonly [Layer, OutcomeId]> {
    const { subject, column, isExternal, isUnplaced } = place;
    for (const layer of this.view.layers[direction]) {
      const row = layer.rows.rowOf[subject.index]!;
      const outcome = isUnplaced ? uncertain : tableOf(layer, isExternal).at(row, column);
      if (outcome !== silent) yield [layer, outcome];
    }
  }

  /** Rows of cluster-wide tiers are long, and their columns are few: what they say is remembered. */
  inTier(
    layer: Layer,
    { subject, column, isExternal }: Pick<Place, "subject" | "column" | "isExternal">,
    decided: PortSetId,
  ): readonly DecidedPorts[] {
    const table = tableOf(layer, isExternal);
    const row = layer.rows.rows[layer.rows.rowOf[subject.index]!]!;
    if (table.itemsOf(row).length < longRow) return this.among(layer, table, row, column, decided);
    const cells = this.inLongRows.get(table) ?? new Map<number, Map<PortSetId, readonly DecidedPorts[]>>();
    this.inLongRows.set(table, cells);
    const cell = row.index * table.layout.columns + table.layout.columnOf[column]!;
    const byPorts = cells.get(cell) ?? new Map<PortSetId, readonly DecidedPorts[]>();
    cells.set(cell, byPorts);
    const known = byPorts.get(decided) ?? this.among(layer, table, row, column, decided);
    byPorts.set(decided, known);
    return known;
  }

  /** S1.1, S1.2: the rules that take these ports, and isolation for what is left; all of them are decided in this tier. */
  private among(
    { tier }: Layer,
    table: TierTable,
    row: Row,
    column: number,
    decided: PortSetId,
  ): readonly DecidedPorts[] {
    const { states } = this.view;
    const found: DecidedPorts[] = [];
    let state = states.startWith(decided);
    for (const { set, effect, rule, step } of table.itemsOf(row)) {
      if (!set.holds(column)) continue;
      const { surely } = states.taken(state, step);
      if (surely !== noPorts && (effect === "Allow" || effect === "Deny"))
        found.push({ ports: surely, said: this.explanations.ofRule(tier.name, rule, effect) });
      state = states.take(state, step);
      if (states.isFinal[state] === 1) return found;
    }
    found.push({ ports: states.open(state).surely, said: this.explanations.ofRow(tier, row) });
    return found;
  }

  private uncertainly(
    direction: Direction,
    { subject, column, isExternal, isUnplaced }: Place,
    open: PortSetId,
    ends: SomeEnds,
  ): readonly DecidedPorts[] {
    const key = `${direction} ${subject.index} ${isUnplaced ? "unplaced" : ""} ${isExternal} ${column} ${open}`;
    const known = this.uncertain.get(key) ?? this.byInterval(direction, subject, isExternal, open, ends);
    this.uncertain.set(key, known);
    return known;
  }

  /** S9.1: where facts are missing, one port of each interval is asked about. */
  private byInterval(
    direction: Direction,
    subject: EndClass,
    isExternal: boolean,
    wanted: PortSetId,
    ends: SomeEnds,
  ): readonly DecidedPorts[] {
    const { view } = this;
    const { ports } = view.outcomes;
    const found = new Map<DirectionExplanation, PortSetId>();
    const family = view.family === undefined ? {} : { family: view.family };
    const some = ends();
    const points = view.pointsOf(direction, subject, isExternal);
    for (const [first, behind] of cutAt(ports.bordersOf(wanted), points)) {
      const said = this.literally(direction, subject, { ...some, ...portAt(first), ...family });
      const interval = ports.import(Uint32Array.of(first, behind));
      found.set(said, ports.union(found.get(said) ?? noPorts, interval));
    }
    return Array.from(found, ([said, its]) => ({ said, ports: its }));
  }

  private literally(direction: Direction, subject: EndClass, flow: Flow): DirectionExplanation {
    const tiers = this.view.literalTiers(direction, subject);
    const all = { egress: tiers, ingress: tiers };
    return this.explanations.shared(directionOf(evaluateDirection(direction, this.cluster, all, flow)));
  }
}

/** Fewer items are walked as fast as they are remembered. */
const longRow = 24;

const tableOf = ({ inside, outside }: Layer, isExternal: boolean): TierTable =>
  isExternal ? outside : inside;

const placeOf = (subject: EndClass, other: Other): Place => ({
  subject,
  column: other.kind === "external" ? other.atom : columnOf(other),
  isExternal: other.kind === "external",
  isUnplaced: other.kind === "host" && other.nearness === "unknown-node",
});

// S1.3, S1.6
const defaultFor = (direction: Direction, other: Other): DirectionExplanation =>
  direction === "ingress" && other.kind === "host" && other.nearness === "own-node" ? byOwnNode : byDefault;
