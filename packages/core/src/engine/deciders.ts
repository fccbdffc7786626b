import type { Cluster } from "../cluster/model.js";
import { evaluateDirection } from "../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../evaluate/flow.js";
import type { Decider } from "../evaluate/walk.js";
import type { Direction, Isolation, Rule, TierName } from "../policy/model.js";
import type { EndClass } from "./ends.js";
import {
  byDefault,
  byOwnNode,
  type DirectionExplanation,
  directionOf,
  isIn,
  noWalk,
} from "./explain-flow.js";
import { isolatingOf } from "./isolated.js";
import { columnOf, type Layer, type Other } from "./layer.js";
import { silent, uncertain } from "./outcomes.js";
import { cutAt, noPorts, portAt, type PortSetId } from "./port-sets.js";
import type { TierTable } from "./tier-table.js";
import type { Row } from "./tier-rows.js";
import type { View } from "./view.js";

/** Ports about which the same decide in one direction. */
export interface DecidedPorts {
  readonly ports: PortSetId;
  /** The same object wherever the same decide. */
  readonly said: DirectionExplanation;
}

/** Two members of the classes that are asked about. */
export interface Ends {
  readonly source: Endpoint;
  readonly destination: Endpoint;
}

/**
 * Who decides about whole sets of ports, for classes of ends: what `explain` says about each single port, at the cost of
 * the rules that match rather than of the ports they tell apart.
 */
export class Deciders {
  private readonly byRule = {
    Allow: new Map<Rule, DirectionExplanation>(),
    Deny: new Map<Rule, DirectionExplanation>(),
  };
  private readonly byRow = new Map<Row, DirectionExplanation>();
  private readonly byIsolation = new Map<string, DirectionExplanation>();
  private readonly bySeveral = new Map<string, DirectionExplanation>();
  private readonly numbers = new Map<object, number>();
  private readonly inLongRows = new Map<TierTable, Map<string, readonly DecidedPorts[]>>();
  private readonly uncertain = new Map<string, readonly DecidedPorts[]>();

  constructor(
    private readonly view: View,
    private readonly cluster: Cluster,
  ) {}

  /** At the end `subject`; `ends` are members of the two classes, whichever. */
  of(
    direction: Direction,
    subject: EndClass,
    other: Other,
    wanted: PortSetId,
    ends: Ends,
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
      if (outcome === uncertain) {
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
      for (const part of this.inTier(layer, table, row, column, decided)) found.push(part);
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
    const memo = this.inLongRows.get(table) ?? new Map<string, readonly DecidedPorts[]>();
    this.inLongRows.set(table, memo);
    const key = `${number} ${at} ${decided}`;
    const known = memo.get(key) ?? this.among(layer, table, row, at, decided);
    memo.set(key, known);
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
        found.push({ ports: taken, said: this.ruleSays(tier.name, rule, effect) });
      open = sets.subtract(open, taken);
      if (open === noPorts) return found;
    }
    found.push({ ports: open, said: this.isolationSays(tier, row) });
    return found;
  }

  private ruleSays(tier: TierName, rule: Rule, verdict: "Allow" | "Deny"): DirectionExplanation {
    const known = this.byRule[verdict].get(rule);
    if (known !== undefined) return known;
    const made: DirectionExplanation = { verdict, deciders: [{ kind: "rule", tier, rule }] };
    this.byRule[verdict].set(rule, made);
    return made;
  }

  private isolationSays(tier: Layer["tier"], row: Row): DirectionExplanation {
    const known = this.byRow.get(row);
    if (known !== undefined) return known;
    const made = this.isolatedBy(tier.name, isolatingOf(tier, row));
    this.byRow.set(row, made);
    return made;
  }

  private isolatedBy(tier: TierName, isolation: readonly Isolation[]): DirectionExplanation {
    const key = isolation.map((entry) => this.numberOf(entry)).join();
    const known = this.byIsolation.get(key);
    if (known !== undefined) return known;
    const made: DirectionExplanation = {
      verdict: "Deny",
      deciders: [{ kind: "isolation", tier, isolation }],
    };
    this.byIsolation.set(key, made);
    return made;
  }

  /** S9.1: where facts are missing, one port of each interval is asked about. */
  private literally(
    direction: Direction,
    subject: EndClass,
    isExternal: boolean,
    wanted: PortSetId,
    ends: Ends,
  ): readonly DecidedPorts[] {
    const { view, cluster } = this;
    const { ports } = view.outcomes;
    const tiers = view.literalTiers(direction, subject);
    const found = new Map<DirectionExplanation, PortSetId>();
    const family = view.family === undefined ? {} : { family: view.family };
    const points = view.pointsOf(direction, subject, isExternal);
    for (const [first, behind] of cutAt(ports.bordersOf(wanted), points)) {
      const flow: Flow = { ...ends, ...portAt(first), ...family };
      const said = this.shared(
        directionOf(evaluateDirection(direction, cluster, { egress: tiers, ingress: tiers }, flow)),
      );
      const interval = ports.import(Uint32Array.of(first, behind));
      found.set(said, ports.union(found.get(said) ?? noPorts, interval));
    }
    return Array.from(found, ([said, its]) => ({ said, ports: its }));
  }

  private shared(said: DirectionExplanation): DirectionExplanation {
    const { verdict, deciders } = said;
    const [only] = deciders;
    if (deciders.length === 1 && only !== undefined && verdict !== "Undecided")
      switch (only.kind) {
        case "rule":
          return this.ruleSays(only.tier, only.rule, verdict);
        case "isolation":
          return this.isolatedBy(only.tier, only.isolation);
        case "default":
          return byDefault;
        case "own-node":
          return byOwnNode;
        case "no-walk":
        case "own-address":
          return noWalk;
      }
    const key = `${verdict} ${deciders.map((by) => this.keyOf(by)).join()}`;
    const known = this.bySeveral.get(key) ?? said;
    this.bySeveral.set(key, known);
    return known;
  }

  private keyOf(by: Decider): string {
    if (by.kind === "rule") return `rule ${this.numberOf(by.rule)}`;
    if (by.kind !== "isolation") return by.kind;
    return `isolation ${by.isolation.map((entry) => this.numberOf(entry)).join("+")}`;
  }

  private numberOf(thing: object): number {
    const known = this.numbers.get(thing) ?? this.numbers.size;
    this.numbers.set(thing, known);
    return known;
  }
}

/** Fewer items are looked through as fast as they are remembered. */
const longRow = 24;
